//! The keys of RSM JSON, on all levels.

macro_rules! keys {
    ($($key:ident $text:literal)*) => {
        #[derive(Clone, Copy, PartialEq, Eq)]
        pub(super) enum Key {
            $($key,)*
            Other,
        }

        impl Key {
            #[inline]
            pub(super) fn of(text: &[u8]) -> Self {
                match text {
                    $($text => Key::$key,)*
                    _ => Key::Other,
                }
            }

            pub(super) fn name(self) -> &'static str {
                let text: &[u8] = match self {
                    $(Key::$key => $text,)*
                    Key::Other => b"",
                };
                std::str::from_utf8(text).unwrap_or_default()
            }
        }
    };
}

keys! {
    InitialComponent b"initial_component"
    InitialNode b"initial_node"
    InitialNodes b"initial_nodes"
    Components b"components"
    Name b"name"
    Nodes b"nodes"
    Boxes b"boxes"
    Transitions b"transitions"
    IsEntry b"is_entry"
    IsExit b"is_exit"
    Labels b"labels"
    Component b"component"
    CallNodes b"call_nodes"
    ReturnNodes b"return_nodes"
    Source b"source"
    Targets b"targets"
    Type b"type"
    Node b"node"
    BoxName b"box_name"
    NodeName b"node_name"
    File b"file"
    Line b"line"
    Column b"column"
}

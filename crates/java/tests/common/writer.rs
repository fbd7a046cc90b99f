//! Class files, written byte by byte.

/// A class with static methods.
#[derive(Default)]
pub struct ClassWriter {
    constants: Vec<u8>,
    count: u16,
    methods: Vec<u8>,
    method_count: u16,
}

impl ClassWriter {
    fn constant(&mut self, bytes: &[u8]) -> u16 {
        self.constants.extend(bytes);
        self.count += 1;
        self.count
    }

    /// A text.
    pub fn text(&mut self, text: &str) -> u16 {
        let length = (text.len() as u16).to_be_bytes();
        self.constant(&[&[1, length[0], length[1]], text.as_bytes()].concat())
    }

    /// A constant of two others: a class (7) of one, a name with a type (12), a method (10).
    pub fn pair(&mut self, tag: u8, one: u16, other: Option<u16>) -> u16 {
        let mut bytes = vec![tag];
        bytes.extend(one.to_be_bytes());
        bytes.extend(other.into_iter().flat_map(u16::to_be_bytes));
        self.constant(&bytes)
    }

    /// A method, by the constants of its name, its type and the word `Code`, with handlers: where
    /// they start, where they end, where they are, what they catch.
    pub fn method(&mut self, (name, kind, code): (u16, u16, u16), body: &[u8], handlers: &[[u16; 4]]) {
        let mut attribute = vec![0, 2, 0, 2];
        attribute.extend((body.len() as u32).to_be_bytes());
        attribute.extend(body);
        attribute.extend((handlers.len() as u16).to_be_bytes());
        attribute.extend(handlers.iter().flatten().flat_map(|number| number.to_be_bytes()));
        attribute.extend([0, 0]);
        self.methods.extend([0, 9]);
        for number in [name, kind, 1, code] {
            self.methods.extend(u16::to_be_bytes(number));
        }
        self.methods.extend((attribute.len() as u32).to_be_bytes());
        self.methods.extend(attribute);
        self.method_count += 1;
    }

    /// The file, by the constants of the class and its parent.
    pub fn finish(self, class: u16, parent: u16) -> Vec<u8> {
        let mut bytes = vec![0xCA, 0xFE, 0xBA, 0xBE, 0, 0, 0, 49];
        bytes.extend((self.count + 1).to_be_bytes());
        bytes.extend(self.constants);
        for number in [0x21, class, parent, 0, 0, self.method_count] {
            bytes.extend(u16::to_be_bytes(number));
        }
        bytes.extend(self.methods);
        bytes.extend([0, 0]);
        bytes
    }
}

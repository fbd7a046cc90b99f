//! Instructions (JVMS, chapter 6), decoded one at a time. Values of two slots count as two, so that
//! the instructions that shuffle the stack need no types.

/// An instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Instruction {
    /// Where it starts in the code.
    pub at: u16,
    /// Where the next one starts.
    pub next: u32,
    /// The operation.
    pub op: Op,
}

/// The kind of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueKind {
    /// `int` and shorter ones.
    Int,
    /// `long`, of two slots.
    Long,
    /// `float`.
    Float,
    /// `double`, of two slots.
    Double,
    /// A reference.
    Reference,
}

impl ValueKind {
    /// How many slots a value takes.
    pub fn width(self) -> usize {
        if matches!(self, ValueKind::Long | ValueKind::Double) { 2 } else { 1 }
    }
}

/// An instruction that moves slots of the stack around.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StackOp {
    /// Drops this many slots.
    Pop(u8),
    /// Copies the top `count` slots and puts the copy `below` slots under the originals.
    Dup {
        /// How many slots are copied.
        count: u8,
        /// How many slots further down the copy goes.
        below: u8,
    },
    /// Exchanges the two top slots.
    Swap,
}

/// How a method is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Invoke {
    /// By the class of the receiver.
    Virtual,
    /// Exactly the named method: constructors, private methods, `super` calls.
    Special,
    /// Without receiver.
    Static,
    /// By the class of the receiver, through an interface.
    Interface,
}

/// The condition of a branch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// One `int` against 0: `==`, `!=`, `<`, `>=`, `>`, `<=` by number.
    Zero(u8),
    /// Two `int`s, by the same numbers.
    Ints(u8),
    /// Two references are the same, or are not (false).
    References(bool),
    /// A reference is null, or is not (false).
    Null(bool),
}

impl Comparison {
    /// Whether one value is compared, with 0 or null.
    pub fn is_unary(self) -> bool {
        matches!(self, Comparison::Zero(_) | Comparison::Null(_))
    }
}

/// The operation of an instruction. Places are offsets in the code, numbers are of constants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Op {
    /// Does nothing.
    Nop,
    /// Pushes `null`.
    Null,
    /// Pushes an `int`.
    Int(i32),
    /// Pushes a number of another kind.
    Number(ValueKind),
    /// Pushes a constant; whether it takes two slots.
    Load(u16, bool),
    /// Pushes a local variable.
    Get(ValueKind, u16),
    /// Pops into a local variable.
    Set(ValueKind, u16),
    /// Adds to a local variable.
    Increment(u16),
    /// Pushes an element of an array.
    ArrayGet(ValueKind),
    /// Pops into an element of an array.
    ArraySet(ValueKind),
    /// Moves slots around.
    Stack(StackOp),
    /// Computes: pops and pushes this many slots. Whether it divides integers, which may throw.
    Compute {
        /// Slots popped.
        pops: u8,
        /// Slots pushed.
        pushes: u8,
        /// Whether it divides integers.
        divides: bool,
    },
    /// Goes to a place if a condition is true.
    If(Comparison, u32),
    /// Goes to a place.
    Goto(u32),
    /// Goes to one of several places; [`Body::targets`](super::Body::targets) has them.
    Switch,
    /// Returns a value of a kind, or nothing.
    Return(Option<ValueKind>),
    /// Pushes a static field.
    GetStatic(u16),
    /// Pops into a static field.
    PutStatic(u16),
    /// Pops an object and pushes its field.
    GetField(u16),
    /// Pops an object and a value into its field.
    PutField(u16),
    /// Calls a method.
    Invoke(Invoke, u16),
    /// Calls a target that was computed at run time.
    InvokeDynamic(u16),
    /// Pushes a new object.
    New(u16),
    /// Pops lengths and pushes a new array of this many dimensions.
    NewArray(u8),
    /// Pops an array and pushes its length.
    ArrayLength,
    /// Throws.
    Throw,
    /// Checks a cast.
    CheckCast(u16),
    /// Tests a type.
    InstanceOf(u16),
    /// Enters a monitor.
    MonitorEnter,
    /// Leaves a monitor.
    MonitorExit,
}

/// Decodes the instruction at a place; the error is in words.
pub(super) fn decode(code: &[u8], at: usize) -> Result<Instruction, String> {
    let mut reader = Operands { code, at: at + 1 };
    let opcode = *code.get(at).ok_or("the code ends without a return")?;
    let op = reader.operation(opcode, at)?;
    Ok(Instruction { at: at as u16, next: reader.at as u32, op })
}

struct Operands<'a> {
    code: &'a [u8],
    at: usize,
}

const KINDS: [ValueKind; 5] =
    [ValueKind::Int, ValueKind::Long, ValueKind::Float, ValueKind::Double, ValueKind::Reference];

/// Kinds of array elements in the order of opcodes.
const ELEMENTS: [ValueKind; 8] = [
    ValueKind::Int,
    ValueKind::Long,
    ValueKind::Float,
    ValueKind::Double,
    ValueKind::Reference,
    ValueKind::Int,
    ValueKind::Int,
    ValueKind::Int,
];

impl Operands<'_> {
    fn u1(&mut self) -> Result<u8, String> {
        let byte = *self.code.get(self.at).ok_or("the code ends inside of an instruction")?;
        self.at += 1;
        Ok(byte)
    }

    fn u2(&mut self) -> Result<u16, String> {
        Ok(u16::from_be_bytes([self.u1()?, self.u1()?]))
    }

    fn i4(&mut self) -> Result<i32, String> {
        Ok(i32::from_be_bytes([self.u1()?, self.u1()?, self.u1()?, self.u1()?]))
    }

    fn place(&self, from: usize, distance: i32) -> Result<u32, String> {
        let place = from.checked_add_signed(distance as isize);
        let inside = place.filter(|&place| place < self.code.len());
        inside.map(|place| place as u32).ok_or_else(|| format!("a branch at {from} leaves the code"))
    }

    fn branch(&mut self, from: usize) -> Result<u32, String> {
        let distance = self.u2()?.cast_signed();
        self.place(from, i32::from(distance))
    }

    fn slot(&mut self, wide: bool) -> Result<u16, String> {
        if wide { self.u2() } else { self.u1().map(u16::from) }
    }

    #[expect(clippy::too_many_lines, reason = "one arm for each group of opcodes")]
    fn operation(&mut self, opcode: u8, at: usize) -> Result<Op, String> {
        let compute = |pops, pushes| Op::Compute { pops, pushes, divides: false };
        let kind = |number: u8| KINDS[usize::from(number % 5)];
        Ok(match opcode {
            0 => Op::Nop,
            1 => Op::Null,
            2..=8 => Op::Int(i32::from(opcode) - 3),
            9 | 10 => Op::Number(ValueKind::Long),
            11..=13 => Op::Number(ValueKind::Float),
            14 | 15 => Op::Number(ValueKind::Double),
            16 => Op::Int(i32::from(self.u1()?.cast_signed())),
            17 => Op::Int(i32::from(self.u2()?.cast_signed())),
            18 => Op::Load(u16::from(self.u1()?), false),
            19 => Op::Load(self.u2()?, false),
            20 => Op::Load(self.u2()?, true),
            21..=25 => Op::Get(kind(opcode - 21), u16::from(self.u1()?)),
            26..=45 => Op::Get(KINDS[usize::from((opcode - 26) / 4)], u16::from((opcode - 26) % 4)),
            46..=53 => Op::ArrayGet(ELEMENTS[usize::from(opcode - 46)]),
            54..=58 => Op::Set(kind(opcode - 54), u16::from(self.u1()?)),
            59..=78 => Op::Set(KINDS[usize::from((opcode - 59) / 4)], u16::from((opcode - 59) % 4)),
            79..=86 => Op::ArraySet(ELEMENTS[usize::from(opcode - 79)]),
            87 | 88 => Op::Stack(StackOp::Pop(opcode - 86)),
            89..=91 => Op::Stack(StackOp::Dup { count: 1, below: opcode - 89 }),
            92..=94 => Op::Stack(StackOp::Dup { count: 2, below: opcode - 92 }),
            95 => Op::Stack(StackOp::Swap),
            // add, sub, mul, div, rem of int, long, float, double
            96..=115 => {
                let width = KINDS[usize::from(opcode % 4)].width() as u8;
                let divides = matches!(opcode, 108 | 109 | 112 | 113);
                Op::Compute { pops: 2 * width, pushes: width, divides }
            }
            116..=119 => {
                let width = KINDS[usize::from(opcode % 4)].width() as u8;
                compute(width, width)
            }
            // shifts of longs: the distance is an int
            121 | 123 | 125 => compute(3, 2),
            127 | 129 | 131 => compute(4, 2),
            132 => {
                let slot = u16::from(self.u1()?);
                self.u1()?;
                Op::Increment(slot)
            }
            133 | 135 | 140 | 141 => compute(1, 2),
            134 | 139 | 145..=147 => compute(1, 1),
            138 | 143 => compute(2, 2),
            148 | 151 | 152 => compute(4, 1),
            // shifts and logic of ints, conversions to one slot, comparisons of floats
            120 | 122 | 124 | 126 | 128 | 130 | 136 | 137 | 142 | 144 | 149 | 150 => compute(2, 1),
            153..=158 => Op::If(Comparison::Zero(opcode - 153), self.branch(at)?),
            159..=164 => Op::If(Comparison::Ints(opcode - 159), self.branch(at)?),
            165 | 166 => Op::If(Comparison::References(opcode == 165), self.branch(at)?),
            167 => Op::Goto(self.branch(at)?),
            168 | 169 | 201 => {
                return Err("subroutines (jsr, ret) of class files before Java 6 are not supported".into());
            }
            170 | 171 => {
                each_target(self.code, at, |_| ())?;
                self.at = switch_end(self.code, at)?;
                Op::Switch
            }
            172..=176 => Op::Return(Some(kind(opcode - 172))),
            177 => Op::Return(None),
            178 => Op::GetStatic(self.u2()?),
            179 => Op::PutStatic(self.u2()?),
            180 => Op::GetField(self.u2()?),
            181 => Op::PutField(self.u2()?),
            182 => Op::Invoke(Invoke::Virtual, self.u2()?),
            183 => Op::Invoke(Invoke::Special, self.u2()?),
            184 => Op::Invoke(Invoke::Static, self.u2()?),
            185 => {
                let method = self.u2()?;
                self.u2()?;
                Op::Invoke(Invoke::Interface, method)
            }
            186 => {
                let call = self.u2()?;
                self.u2()?;
                Op::InvokeDynamic(call)
            }
            187 => Op::New(self.u2()?),
            188 => {
                self.u1()?;
                Op::NewArray(1)
            }
            189 => {
                self.u2()?;
                Op::NewArray(1)
            }
            190 => Op::ArrayLength,
            191 => Op::Throw,
            192 => Op::CheckCast(self.u2()?),
            193 => Op::InstanceOf(self.u2()?),
            194 => Op::MonitorEnter,
            195 => Op::MonitorExit,
            196 => self.wide()?,
            197 => {
                self.u2()?;
                Op::NewArray(self.u1()?)
            }
            198 | 199 => Op::If(Comparison::Null(opcode == 198), self.branch(at)?),
            200 => {
                let distance = self.i4()?;
                Op::Goto(self.place(at, distance)?)
            }
            other => return Err(format!("there is no instruction with opcode {other}")),
        })
    }

    fn wide(&mut self) -> Result<Op, String> {
        Ok(match self.u1()? {
            opcode @ 21..=25 => Op::Get(KINDS[usize::from(opcode - 21)], self.slot(true)?),
            opcode @ 54..=58 => Op::Set(KINDS[usize::from(opcode - 54)], self.slot(true)?),
            132 => {
                let slot = self.slot(true)?;
                self.u2()?;
                Op::Increment(slot)
            }
            169 => return Err("subroutines (jsr, ret) of class files before Java 6 are not supported".into()),
            other => return Err(format!("opcode {other} has no wide form")),
        })
    }
}

/// Calls `each` for every target of the switch at a place, the default first.
pub(super) fn each_target(code: &[u8], at: usize, mut each: impl FnMut(u32)) -> Result<(), String> {
    let mut operands = Operands { code, at: (at + 4) & !3 };
    let distance = operands.i4()?;
    each(operands.place(at, distance)?);
    let count = switch_count(&mut operands, code[at])?;
    for _ in 0..count {
        if code[at] == 171 {
            operands.i4()?;
        }
        let distance = operands.i4()?;
        each(operands.place(at, distance)?);
    }
    Ok(())
}

fn switch_count(operands: &mut Operands<'_>, opcode: u8) -> Result<usize, String> {
    let first = i64::from(operands.i4()?);
    if opcode == 171 {
        return usize::try_from(first).map_err(|_| "a switch has a negative number of cases".into());
    }
    let last = i64::from(operands.i4()?);
    usize::try_from(last - first + 1).ok().filter(|&count| count > 0).ok_or("a switch has no cases".into())
}

fn switch_end(code: &[u8], at: usize) -> Result<usize, String> {
    let mut operands = Operands { code, at: ((at + 4) & !3) + 4 };
    let count = switch_count(&mut operands, code[at])?;
    Ok(operands.at + count * if code[at] == 171 { 8 } else { 4 })
}

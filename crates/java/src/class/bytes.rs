//! Reading numbers from a class file, big-endian, with an error instead of a panic at its end.

use super::ClassError;

/// A place in a class file from which numbers are read.
#[derive(Clone)]
pub(crate) struct Bytes<'a> {
    all: &'a [u8],
    at: usize,
    end: usize,
}

impl<'a> Bytes<'a> {
    pub(crate) fn new(all: &'a [u8]) -> Self {
        Self { all, at: 0, end: all.len() }
    }

    /// The offset of the next byte in the file.
    pub(crate) fn at(&self) -> usize {
        self.at
    }

    /// The next `length` bytes, to be read on their own; they are skipped here.
    pub(crate) fn part(&mut self, length: usize) -> Result<Bytes<'a>, ClassError> {
        let start = self.at;
        self.skip(length)?;
        Ok(Bytes { all: self.all, at: start, end: self.at })
    }

    pub(crate) fn skip(&mut self, length: usize) -> Result<(), ClassError> {
        if length > self.end - self.at {
            return Err(self.error("the file ends inside of this structure"));
        }
        self.at += length;
        Ok(())
    }

    pub(crate) fn slice(&mut self, length: usize) -> Result<&'a [u8], ClassError> {
        let start = self.at;
        self.skip(length)?;
        Ok(&self.all[start..self.at])
    }

    pub(crate) fn u1(&mut self) -> Result<u8, ClassError> {
        Ok(self.slice(1)?[0])
    }

    pub(crate) fn u2(&mut self) -> Result<u16, ClassError> {
        let bytes = self.slice(2)?;
        Ok(u16::from_be_bytes([bytes[0], bytes[1]]))
    }

    pub(crate) fn u4(&mut self) -> Result<u32, ClassError> {
        let bytes = self.slice(4)?;
        Ok(u32::from_be_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
    }

    pub(crate) fn error(&self, message: impl Into<String>) -> ClassError {
        ClassError { offset: self.at, message: message.into() }
    }
}

//! The limits of a call; all options have them.

/// The methods by which options set their limits.
macro_rules! limits {
    ($time:literal, $memory:literal) => {
        #[doc = $time]
        #[must_use]
        pub fn timeout(mut self, time: std::time::Duration) -> Self {
            self.limits.timeout = Some(time);
            self
        }

        #[doc = $memory]
        #[must_use]
        pub fn memory(mut self, bytes: usize) -> Self {
            self.limits.memory = Some(bytes);
            self
        }

        /// How many threads share the work; by default one for each core. Answers do not depend on
        /// it.
        #[must_use]
        pub fn jobs(mut self, threads: usize) -> Self {
            self.limits.jobs = Some(threads);
            self
        }

        /// Ends the work when another thread raises it.
        #[must_use]
        pub fn interrupt(mut self, interrupt: &loris_base::Interrupt) -> Self {
            self.limits.interrupt = interrupt.clone();
            self
        }
    };
}

pub(crate) use limits;

# one property a line
AG one = idle

-- a comment, too
  AG one = idel --> one = idle # a slip
F one = idle

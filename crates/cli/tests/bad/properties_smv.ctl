# one property a line
AG one = idle

  AG one = idel -- a slip
F one = idle

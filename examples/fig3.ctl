# Calling A1 for ever stays in the entry.
E G gray
# With an even number of calls of A1, the run ends in n4 ...
E F E G black
# ... with an odd number in n5; calling A2 for ever is white as well.
E F (white & E G white)
# Every run is gray first.
E G white
# From any black state a run can go on to a white one: not from n4 with an empty stack.
A G (black -> E F white)
# Before anything black comes something white.
A [!black W white]

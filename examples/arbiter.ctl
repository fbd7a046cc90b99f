# A round-robin arbiter of two clients, in the grammar of IImc.

#PASS: (0) never both
AG ~(ack0 & ack1)

#PASS: (1-2) who asks alone is served next
AG (req0 & ~req1 -> AX ack0)
AG (req1 & ~req0 -> AX ack1)

#FAIL: (3) but a client may never ask
AG AF ack0

#PASS: (4) and can always be served
AG EF ack0

#PASS: (5) if both ask, whoever was served waits
AG (req0 & req1 & ack0 -> AX ack1)

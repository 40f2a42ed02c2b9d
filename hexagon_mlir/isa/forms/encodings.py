"""Encodings of the scalar instructions that kernels of the matrix engine are made of.

A row is the form, the slots that it can take, its operands in the order of the text, and the 32 bits from the highest
down. A letter in the bits is a piece of the operand with this letter, highest piece first; ``PP`` are the parse bits.
What follows an operand's letter: ``s16`` a signed immediate of 16 bits, ``u5`` an unsigned one, ``.2`` that the bits
hold it divided by four; nothing: the number of a register. ``L`` is a label, as its distance in bytes from the packet.
Bits and slots are those of LLVM 22's assembler.
"""

ROWS = """
R=I                       0123  d,i:s16        01111000ii0iiiiiPPiiiiiiiiiddddd
R=R                       0123  d,s            01110000011sssssPP000000000ddddd
R=add(R,I)                0123  d,s,i:s16      1011iiiiiiisssssPPiiiiiiiiiddddd
R=add(R,R)                0123  d,s,t          11110011000sssssPP0ttttt000ddddd
R=sub(R,R)                0123  d,t,s          11110011001sssssPP0ttttt000ddddd
R=and(R,I)                0123  d,s,i:s10      0111011000isssssPPiiiiiiiiiddddd
R=asl(R,I)                23    d,s,i:u5       10001100000sssssPP0iiiii010ddddd
R=lsr(R,I)                23    d,s,i:u5       10001100000sssssPP0iiiii001ddddd
R=asr(R,I)                23    d,s,i:u5       10001100000sssssPP0iiiii000ddddd
R=addasl(R,R,I)           23    d,t,s,i:u3     11000100000sssssPP0tttttiiiddddd
R=min(R,R)                23    d,t,s          11010101101sssssPP0ttttt000ddddd
R=minu(R,R)               23    d,t,s          11010101101sssssPP0ttttt100ddddd
R=max(R,R)                23    d,s,t          11010101110sssssPP0ttttt000ddddd
R=maxu(R,R)               23    d,s,t          11010101110sssssPP0ttttt100ddddd
R=mpyi(R,R)               23    d,s,t          11101101000sssssPP0ttttt000ddddd
P=cmp.eq(R,I)             0123  d,s,i:s10      0111010100isssssPPiiiiiiiii000dd
P=cmp.gt(R,I)             0123  d,s,i:s10      0111010101isssssPPiiiiiiiii000dd
P=cmp.gtu(R,I)            0123  d,s,i:u9       01110101100sssssPPiiiiiiiii000dd
P=cmp.eq(R,R)             0123  d,s,t          11110010000sssssPP0ttttt000000dd
P=cmp.gt(R,R)             0123  d,s,t          11110010010sssssPP0ttttt000000dd
P=cmp.gtu(R,R)            0123  d,s,t          11110010011sssssPP0ttttt000000dd
R=memw(R+I)               01    d,s,i:s13.2    10010ii1100sssssPPiiiiiiiiiddddd
memw(R+I)=R               01    s,i:s13.2,t    10100ii1100sssssPPitttttiiiiiiii
jump L                    0123  i:s24.2        0101100iiiiiiiiiPPiiiiiiiiiiiii0
if(P) jump:nt L           0123  u,i:s17.2      01011100ii0iiiiiPPi000uuiiiiiii0
if(P) jump:t L            0123  u,i:s17.2      01011100ii0iiiiiPPi100uuiiiiiii0
if(!P) jump:nt L          0123  u,i:s17.2      01011100ii1iiiiiPPi000uuiiiiiii0
if(!P) jump:t L           0123  u,i:s17.2      01011100ii1iiiiiPPi100uuiiiiiii0
if(P.new) jump:nt L       0123  u,i:s17.2      01011100ii0iiiiiPPi010uuiiiiiii0
if(P.new) jump:t L        0123  u,i:s17.2      01011100ii0iiiiiPPi110uuiiiiiii0
if(!P.new) jump:nt L      0123  u,i:s17.2      01011100ii1iiiiiPPi010uuiiiiiii0
if(!P.new) jump:t L       0123  u,i:s17.2      01011100ii1iiiiiPPi110uuiiiiiii0
jumpr R                   2     s              01010010100sssssPP00000000000000
if(P) jumpr R             2     u,s            01010011010sssssPP0000uu00000000
if(!P) jumpr R            2     u,s            01010011011sssssPP0000uu00000000
if(P.new) jumpr:nt R      2     u,s            01010011010sssssPP0010uu00000000
if(P.new) jumpr:t R       2     u,s            01010011010sssssPP0110uu00000000
if(!P.new) jumpr:nt R     2     u,s            01010011011sssssPP0010uu00000000
if(!P.new) jumpr:t R      2     u,s            01010011011sssssPP0110uu00000000
loop0(L,R)                3     i:s9.2,s       01100000000sssssPP0iiiii000ii000
loop1(L,R)                3     i:s9.2,s       01100000001sssssPP0iiiii000ii000
loop0(L,I)                3     i:s9.2,n:u10   01101001000nnnnnPP0iiiiinnnii0nn
loop1(L,I)                3     i:s9.2,n:u10   01101001001nnnnnPP0iiiiinnnii0nn
nop                       0123  -              0111111100000000PP00000000000000
"""

# Moves that a search overlooked: positions of games on 9x9 that kikashi lost to Pachi, where it stood well by its own
# judgement until this move was played against it. The answers are what 60,000 simulations that explore say: these
# moves win in 70 of 100 or more, and no other does. They are not proved.
komi 7.5

boardsize 9
gogui-play_sequence b F6 w D4 b F4 w F3 b G3 w E3 b D6 w C6 b C7 w C5 b B7 w G2 b H3 w H2 b G4 w E5 b E6 w F5 b G5 w G6 b G7 w H6 b H7 w H5 b J4 w J2 b A5 w E4 b J6 w A6 b B6 w B5 b A4
1 reg_genmove white
#? [J3]

boardsize 9
gogui-play_sequence b C4 w F4 b G6 w E5 b D6 w E6 b E7 w F7 b D7 w F6 b H8 w G8 b G7 w F8 b G5 w G4 b H4 w H3 b H5 w H9 b J6 w H7 b J8 w J4 b E3 w G3 b F2 w G2 b E4 w F5 b D5 w E8 b D8 w E9 b G9 w D9 b C8 w C9 b B8 w B9 b J2 w J3 b G1
2 reg_genmove white
#? [J5]

boardsize 9
gogui-play_sequence b E5 w G5 b F3 w G3 b G2 w F4 b E4 w F2 b E3 w H2 b E7 w E2 b D2 w C3 b D3 w C2 b G1 w H1 b B4 w D1 b G7 w C4 b C5 w D5 b C6 w B3 b A4 w A3 b C1 w B1 b F5 w G4 b G6 w B5 b B6 w A5 b H5 w B7 b H3 w F1 b H4 w A6 b C7 w C8 b D8 w D6 b D7 w G2 b B8 w A8 b A7 w F6 b E6 w B7 b C9 w D4 b J2 w J3 b J4 w B9 b A7 w H6 b J6 w B7 b A9 w A7 b B9
3 reg_genmove white
#? [J1]

boardsize 9
gogui-play_sequence b D6 w F4 b E3 w F3 b E4 w E5 b D5 w D4 b D3 w C4 b F7 w C3 b F5 w G5 b E6 w B6 b G6 w H4 b B5 w C5 b C6 w B7 b C2 w B4 b F2 w G2 b G3 w G4 b H2 w H3 b A5 w A4 b G1 w E2 b G3 w D2 b E5 w G2 b F1 w J2 b H1 w B2 b H6 w J3 b H5 w F8 b E8
4 reg_genmove white
#? [C1]

boardsize 9
gogui-play_sequence b D4 w F6 b G5 w G6 b F5 w E6 b C5 w E5 b E4 w F4 b G4 w F3 b G3 w F2 b G2 w H5 b H4 w H6 b C7 w H2 b H1 w D2 b E2 w E3 b D3 w E1 b C2 w J2 b G1 w C6 b B6 w F1 b D1 w C1 b B1 w J4 b D1 w D7 b B8 w C1 b D8
5 reg_genmove white
#? [H3|J1]

boardsize 9
gogui-play_sequence b E5 w C5 b E3 w F7 b E7 w D7 b E8 w E6 b F6 w D6 b G7 w F5 b G6 w E4 b F4 w D5 b D3 w G4 b F3 w G5 b D8 w C8 b G3 w B3 b C9 w H3 b H2 w H4 b B8 w C2 b C3 w B2 b D2 w J2 b H1 w C7 b B7 w B6 b H6 w F2 b F1 w G2 b D1 w E2 b B4 w C4 b A3 w A2 b A7 w F9 b G8 w D4 b C1 w A4 b B1 w A5 b G9 w J6 b J7 w F8 b D9 w A3 b J3 w A6 b J4 w J5 b H5 w J4 b E9
6 reg_genmove white
#? [A1|B9]

boardsize 9
gogui-play_sequence b E4 w E6 b G5 w F5 b F4 w G6 b H6 w H5 b G4 w H7 b G7 w J6 b D7 w D6 b C6 w C7 b B7 w C8 b F7 w F6 b C5 w B8 b B6 w H4 b D8 w E7 b E8 w D9 b F8 w D5 b D4 w C4 b C3 w F9 b H8 w E9 b G8 w J8 b H9 w A8 b C9 w B9 b H3 w B4 b B3 w G3 b G2 w H2 b J3 w J2 b F3 w J4 b A4 w G3 b A7 w H3 b F2 w G1 b D2 w F1 b E1 w H1 b B1 w B2 b A3
7 reg_genmove white
#? [J7]

boardsize 9
gogui-play_sequence b E5 w C3 b G4 w E7 b C5 w C7 b B5 w E3 b G2 w F2 b F3 w E2 b F8 w F5 b F6 w F4 b G5 w G3 b E6 w G6 b G7 w H6 b H3 w H5 b F3 w E4 b H7 w H4 b G3 w G1 b J2 w H1 b B3 w H2 b C2 w E8 b E9 w F7 b G8 w B8 b C9 w B9 b D9 w C8 b A8 w H9 b J3 w J4 b J6 w J1 b F9 w H8 b J8 w D6 b D5 w D8 b C6 w B2 b A2 w B4 b B1 w A4 b C4
8 reg_genmove white
#? [J5]

boardsize 9
gogui-play_sequence b G4 w C5 b D6 w C6 b C7 w B7 b B8 w D5 b D7 w F5 b G5 w F6 b F4 w E5 b E3 w E8 b B6 w B5 b A7 w D8 b C8 w G6 b C3 w B3 b B2 w D2 b D3 w C2 b B4 w A5 b A6 w A3 b B1 w A2 b C4 w A4 b E2 w A1 b H6 w H7 b H5 w J7 b D9 w E7 b E9 w F9 b C9 w F8 b J6 w E4 b E1 w E6 b G7 w H8 b H9 w G9 b D4
9 reg_genmove white
#? [C1]

boardsize 9
gogui-play_sequence b E5 w G5 b F4 w G4 b G3 w F3 b E3 w F2 b E2 w G2 b E7 w E6 b F6 w D6 b H3 w H2 b D7 w F5 b E4 w C6 b C7 w F7 b G6 w H4 b C5 w G7 b H6 w B6 b H7 w H8 b B7 w B5 b B4 w J6 b J5 w J8 b J7 w J3 b A6
10 reg_genmove white
#? [H5]

boardsize 9
gogui-play_sequence b D5 w D3 b F4 w F2 b G3 w E5 b E4 w D4 b C6 w E6 b B4 w D6 b C5 w C7 b B7 w B8 b C8 w D7 b A8 w D8 b B9 w G6 b G2 w B2 b B3 w F3 b G4 w C2 b E2 w E3 b F1 w D1 b E1 w D2 b G1 w H5 b H4 w H2 b B1 w H1 b J4 w H3 b J5 w J6 b A2
11 reg_genmove white
#? [F5|G5]

boardsize 9
gogui-play_sequence b D5 w F5 b E6 w F6 b E3 w E4 b D4 w F3 b F7 w G7 b G6 w E7 b F8 w G8 b E8 w D7 b D8 w C7 b C8 w D3 b E2 w C3 b B7 w F2 b G4 w F4 b G5 w H6 b H5 w H3 b D2 w C2 b G3 w G2 b H7 w H8 b J6 w J4 b C4 w J5 b J8
12 reg_genmove white
#? [H4]

boardsize 9
gogui-play_sequence b F5 w D5 b D4 w C4 b C3 w E4 b D3 w E5 b C5 w C6 b B4 w F6 b G6 w F7 b G7 w G8 b H8 w F8 b G4 w F4 b G5 w B5 b A5 w B6 b A6 w A7 b A4 w B8 b F2 w F3 b G2 w G3 b H3 w H9 b J8 w H4 b H2 w E3 b E2 w H5 b H6 w J6 b H7 w C4 b B3
13 reg_genmove white
#? [G9]

boardsize 9
gogui-play_sequence b F5 w D5 b D4 w C4 b D3 w E5 b F4 w E4 b E3 w F3 b G3 w F2 b C3 w F6 b G6 w G7 b F7 w E6 b H6 w H7 b G5 w C5 b F8 w G2 b H3 w H2 b B2 w H4 b J7 w G4 b H8 w B4 b C7 w A2 b B3 w A3 b A4 w A5 b B1 w B6 b B7 w D2 b E2 w E1 b D1 w C1 b F1 w G1 b J5 w J3 b E7 w A6 b A7 w D7 b D8 w D6 b C6 w J4 b B9 w G8 b B8 w H5 b G9 w J6 b H7 w J5 b G3 w H3 b F9 w A4 b E8
14 reg_genmove white
#? [D1]

boardsize 9
gogui-play_sequence b G5 w C4 b E3 w F4 b C3 w B3 b D4 w C5 b D5 w D6 b E6 w C2 b D3 w E7 b D7 w C6 b F7 w E5 b F6 w F3 b D2 w B2 b F2 w G2 b G3 w F1 b E2 w H2 b E4
15 reg_genmove white
#? [D1]

boardsize 9
gogui-play_sequence b G4 w C6 b G7 w E7 b D3 w C3 b C4 w D4 b E4 w D5 b C2 w B3 b B2 w B4 b E5 w F6 b E6 w D6 b F5 w F7 b G6 w G8 b H8 w F8 b D7 w D8 b C7 w B7 b C8 w B8 b C9 w B9 b B6 w C5 b B5 w D9 b G9 w F9 b H9 w A2 b A3 w A4 b B1 w D2 b E3 w D1 b E2
16 reg_genmove white
#? [A3]

boardsize 9
gogui-play_sequence b D4 w F6 b G4 w G5 b H4 w F4 b F3 w G3 b E3 w G2 b E7 w E6 b D6 w D7 b C7 w D8 b E8 w C8 b G7 w C6 b H5 w D5 b C4 w E4 b D3 w H6 b G6 w H7 b F5 w E5 b H8 w B4 b B3 w B2 b C2 w A3 b A2 w A1 b B5 w C3 b C5 w B3 b C1 w F2 b E2 w E1 b H3 w A5 b B6 w B7 b D1 w A6 b F1 w G1 b E1
17 reg_genmove white
#? [B1]

boardsize 9
gogui-play_sequence b E5 w C5 b D7 w C7 b D6 w C6 b D4 w C4 b H5 w G2 b E2 w D3 b E3 w H4 b H3 w G4 b G3 w G5 b H6 w G6 b G7 w F7 b H8 w G8 b H7 w F8 b F6 w D8 b C3 w B3 b C2 w H9 b E7 w E8 b G9 w B2 b C8
18 reg_genmove white
#? [D5]

boardsize 9
gogui-play_sequence b G4 w C5 b D7 w F5 b F4 w E5 b F7 w G5 b H7 w H4 b E3 w G3 b C3 w B3 b B2 w B4 b H2 w F3 b E4 w H3 b D2 w F2 b D4 w D5 b B7 w E2 b C4 w A2 b B1 w D1 b C1 w E1 b H5 w A3 b B5 w B6 b A5 w A6 b H6 w A4 b B5 w A5 b G6
19 reg_genmove white
#? [A1]

boardsize 9
gogui-play_sequence b E5 w E3 b D4 w D3 b H6 w C4 b C5 w F5 b F6 w F4 b C3 w B4 b B5 w B3 b H4 w E6 b E7 w D6 b D7 w G6 b F7 w C6 b B7 w B6 b A6 w H5 b J5 w G5 b G3 w G7 b G2 w F2 b F1 w H2 b C2 w H3 b G4 w H1 b B2
20 reg_genmove white
#? [E4]

boardsize 9
gogui-play_sequence b E4 w E6 b F5 w F6 b G6 w G7 b H7 w H6 b G5 w H8 b F7 w G8 b D6 w E7 b B5 w D5 b E5 w C6 b D7 w C5 b B6 w C7 b E8 w C3 b B7 w C8 b H5 w J7 b B4 w B3 b B8 w D3 b E2 w B9 b A3 w A2 b A4 w A6 b B2 w C2 b J6 w J5 b J4 w B1 b J6 w E3 b F3 w J5 b J9 w J6 b J8 w H9 b J8
21 reg_genmove white
#? [J9]

boardsize 9
gogui-play_sequence b E4 w E6 b C5 w C7 b F5 w F6 b G6 w G5 b G4 w H5 b H4 w H6 b G7 w H7 b B7 w C6 b B6 w D5 b C4 w D4 b D3 w B8 b A8 w C8 b H8 w G8 b F7 w J8 b H9 w G9 b J5 w E3 b D2 w E2 b A4 w B5 b B4 w G3 b H3 w F3 b F4 w H2 b H1 w G1 b J2 w J1 b J6 w J9 b H1 w G2 b F1 w E5 b E1 w J4 b F2 w A7 b A6 w J7 b E7 w D6 b B9 w E8 b D7 w D8 b C9 w D9 b J3 w J5 b E9 w F8 b A5 w A9 b B9
22 reg_genmove white
#? [C9]

boardsize 9
gogui-play_sequence b E4 w G4 b F5 w G5 b G6 w F6 b G7 w F7 b G8 w F8 b H5 w H4 b H6 w F4 b E5 w E3 b D3 w E2 b F3 w F2 b G3 w H3 b D7 w D4 b D5 w C4 b C5 w B4 b B5 w A5 b A6 w A4 b C3 w B6 b B3 w A7 b A3 w B8 b C8 w A6 b C6 w D2 b A8 w A9 b B7 w C7 b D8 w H8 b H9 w B7 b B9 w C9 b D9 w E9 b G9
23 reg_genmove white
#? [D6]

boardsize 9
gogui-play_sequence b D6 w F4 b E3 w F3 b E4 w F5 b F7 w E6 b E7 w D5 b E5 w F6 b C4 w D7 b C6 w C7 b B6 w G7 b G8 w H8 b H7 w G6 b F8 w H9 b D8 w C8 b E9 w C9 b D9 w G9 b B9
24 reg_genmove white
#? [F9]

boardsize 9
gogui-play_sequence b F5 w F6 b E5 w E6 b D6 w D7 b C7 w C8 b D8 w E7 b C6 w E8 b D2 w D5 b D4 w G5 b G4 w H4 b G3 w H3 b G2 w B8 b G6 w H5 b G7 w H6 b H7 w H2 b F8 w F9 b G9 w H8 b D9 w C9 b E9 w F9 b J8 w H9 b E9 w D9 b H1 w C4 b C3 w J6 b G8 w J4 b B7 w C5 b B5 w A7 b B4 w A6 b A9 w F9 b A8 w E9 b B6 w B9 b A8 w J2 b J7
25 reg_genmove white
#? [F7]

boardsize 9
gogui-play_sequence b C4 w F4 b F7 w D5 b C5 w D7 b F5 w G5 b E5 w D4 b E4 w D3 b E3 w D2 b D6 w C6 b E6 w C7 b E8 w E2 b F3 w F2 b B6 w B7 b B5 w B3 b B8 w A8 b D8 w C8 b B9 w C9 b D9 w A4 b A6 w G3 b G4 w C3 b A7 w H4 b G6 w A9 b B8 w H6 b H5 w J5 b H3 w G8 b H7 w G5
26 reg_genmove black
#? [G2]

boardsize 9
gogui-play_sequence b C4 w F4 b F7 w C6 b D5 w E6 b D6 w E7 b D7 w F6 b F3 w G3 b E8 w F8 b G2 w E3 b F2 w D8 b E4 w G4 b C8 w E9 b H2 w C7 b B8 w B7 b C5 w E2 b E1 w A8 b B6 w C2 b B2 w B3 b B1 w D1 b H3 w A7 b A6 w A5 b B5 w F1 b C3 w H4 b D3 w E5 b D4 w C9 b A9 w J2 b J3 w G1 b D2 w E1 b H1 w J4
27 reg_genmove black
#? [C1]

boardsize 9
gogui-play_sequence b C4 w G6 b G4 w F5 b F4 w C6 b D6 w D5 b C5 w D7 b E6 w E5 b C7 w B6 b E7 w D8 b B7 w D3 b C3 w G8 b F2 w E2 b E8 w E3 b H2 w F1 b G1 w F3 b G3 w G2 b D4 w E4 b F2 w C2 b G5 w B5 b F6 w C8 b B8 w G2 b H6 w H1 b J2 w G7 b H7 w B9 b C9 w D9 b E9 w A7 b C9 w J5 b H5 w H3 b J3 w A6 b B3 w B2 b A4 w B4 b A8 w A3 b pass w D8 b H4 w J4 b J6 w C8 b J1 w J4 b G1 w D7 b D9 w H1
28 reg_genmove black
#? [H3|J5]

boardsize 9
gogui-play_sequence b D6 w F4 b E3 w F3 b E4 w F5 b F2 w G2 b E2 w E7 b D7 w D8 b E6 w F7 b F6 w G6 b G7 w G8 b H7 w H6 b H8 w F8 b C8 w E9 b C9 w E5 b D5 w H5
29 reg_genmove black
#? [D9]

boardsize 9
gogui-play_sequence b E4 w E6 b F6 w F5 b E5 w G6 b F7 w G7 b E7 w D6 b D7 w C6 b C7 w C3 b C5 w E3 b F4 w G5 b B6 w F2 b G4 w H4 b H3 w H5 b G8 w H8 b D2 w D3 b B3 w B2 b B4 w G3 b C2 w B1 b F3 w G2 b E2 w E1
30 reg_genmove black
#? [D4]

boardsize 9
gogui-play_sequence b E5 w G5 b G6 w C7 b F5 w G4 b H6 w E7 b F7 w E3 b C4 w D4 b D5 w C3 b B5 w B3 b D8 w E8 b F8 w C6 b C5 w H5 b F4 w F3 b G3 w J6 b H4 w G2 b J5 w E9 b B8 w B7 b D7 w D6 b C8 w E6 b A7 w A6 b A8 w B6 b A5 w D9
31 reg_genmove black
#? [F6]

boardsize 9
gogui-play_sequence b E5 w C5 b C4 w D4 b D5 w C3 b B4 w C6 b D7 w C7 b E4 w D3 b E3 w D8 b E7 w E8 b F8 w E2 b F2 w D2 b E1 w B3 b E9 w G3 b F3 w G2 b D1 w H5 b G4 w H4 b H2 w H3 b G1 w H1 b J1 w G7 b C8 w B8 b H8 w H7 b G8 w C9 b F7 w G5 b G6 w H6 b F6 w F5 b F4 w D6 b E6 w J8 b B2 w A4 b C2 w B5 b J3 w J4 b H9 w F9 b H1 w B1 b J6 w J7 b J9 w A2 b G9 w J2 b F1 w D9 b J3 w C1 b J5 w F9
32 reg_genmove black
#? [B9]

boardsize 9
gogui-play_sequence b F5 w D5 b D4 w C4 b E4 w C3 b D6 w C5 b E6 w C7 b D7 w G3 b C6 w G5 b G6 w F4 b H5 w E5 b G4 w F3 b H3 w B6 b B7 w B8 b A7 w C8 b B5 w D8 b E8 w F8 b F7 w E9 b G8 w E7 b A6 w A8 b B9 w C9 b E8 w H4 b E7 w G5 b J4 w G4 b H2 w J3 b J2 w H6 b J5 w H7 b G7 w J6 b J3 w H8 b J8 w H9 b G9 w G2
33 reg_genmove black
#? [J7|J9]

boardsize 9
gogui-play_sequence b E5 w E3 b F3 w F4 b E4 w G3 b F2 w G2 b E2 w D3 b D2 w C3 b C2 w B2 b B4 w F5 b E6 w B3 b C4 w F6 b B1 w E7 b D7 w D4 b D6 w C5 b B5 w C6 b F7 w B6 b B7 w C7 b C8 w D8 b E8 w B8 b D9 w C1 b D5 w A3
34 reg_genmove black
#? [A6]

boardsize 9
gogui-play_sequence b D5 w F5 b F6 w G6 b E6 w G7 b G5 w G4 b H5 w F4 b H4 w H3 b H2 w G3 b H6 w H7 b J3 w J4 b J5 w F8 b G2 w E3 b F2 w E2 b E4 w F3 b D3 w D2 b C3 w J2 b J1 w J6 b J7 w J8 b J4 w C2 b B2 w G1 b D1 w F1 b E1 w C1 b E1 w D1 b B1 w B3
35 reg_genmove black
#? [E5]

boardsize 9
gogui-play_sequence b E5 w G5 b G6 w F6 b F5 w G7 b G4 w H6 b H5 w G6 b H4 w D6 b E6 w E7 b D7 w C7 b D8 w C8 b C6 w D5 b E8 w F7 b B8 w B7 b C9 w A8 b D4 w C5 b B6 w F4 b E4 w C4 b C3 w F3 b B4 w H2 b F8 w G8 b H8 w H9 b J6 w J8 b E2 w E3 b D3 w F2 b G2 w D2 b G3 w E1 b G1 w C2 b B5 w B2 b F1 w E2 b A2 w H1 b H3 w J2 b J3 w J5 b J1 w H2 b A3 w B1 b B3 w B9 b C1 w J7
36 reg_genmove black
#? [A1]

boardsize 9
gogui-play_sequence b D5 w G6 b F5 w G5 b G4 w H4 b G3 w H3 b H2 w D7 b E7 w F7 b E6 w E8 b F8 w D8 b G8 w H7 b H8 w F4 b F3 w E4 b D4 w E3 b E2 w C6 b G7 w F6 b D3 w J6 b H5 w H6 b J3 w J5 b J8 w H9 b J2 w F9 b G9 w B6
37 reg_genmove black
#? [J4]

boardsize 9
gogui-play_sequence b E5 w E3 b D4 w C3 b D3 w D2 b C4 w G5 b C2 w F7 b G6 w F6 b F5 w G4 b F3 w F4 b E2 w G3 b E4 w C7 b D7 w D8 b H5 w H6 b G7 w H7 b G8 w F8 b H8 w H4 b J5 w J4 b G2 w C8 b J8 w J9 b H3 w J6 b H2 w B5 b J3 w B3 b J5 w H5
38 reg_genmove black
#? [J7]

boardsize 9
gogui-play_sequence b E4 w E6 b F6 w F7 b G7 w F5 b G6 w E5 b E7 w D7 b F8 w F4 b D4 w F3 b E2 w E3 b D3 w F2 b D2 w C5 b B4 w D8 b B5 w B6 b H4 w H3 b G4 w G5 b H5 w G3 b D5 w D6 b E8 w C4 b C3 w C6 b B2 w J4 b J6 w A4 b A3 w E9 b A6 w A7 b A5 w H7 b H6 w G9 b F9 w G8 b D9 w C9 b H8 w A8 b F1 w G1 b J5 w E1 b B7 w D1 b B8 w B1 b C2 w A2 b A1 w H9 b J9 w A2 b C8 w E9
39 reg_genmove black
#? [A1|B3]

boardsize 9
gogui-play_sequence b E5 w C3 b G4 w C5 b E8 w E3 b D4 w D3 b C4 w B4 b B3 w B5 b B2 w E4 b D5 w F5 b C6 w F6 b D6 w F4 b G7 w B6 b B7 w H6 b H7 w C7 b D7 w C8 b B8 w F7 b G6 w G5 b F8 w G8 b H8 w C2 b H5 w A2 b A3 w B1 b A1 w C1 b H4 w A8 b C9 w A7 b D8 w G2 b A4 w A2 b G3 w H2 b A1 w A6 b B9 w F2
40 reg_genmove black
#? [A9]

boardsize 9
gogui-play_sequence b G5 w C4 b E3 w F4 b E5 w E4 b D4 w D5 b D3 w F5 b E6 w F6 b F7 w E7 b D6 w G7 b C5 w G3 b F8 w D8 b G8 w H8 b H7 w G6 b H9 w J8 b J7 w H6 b J9 w B7 b B6 w C7 b B8 w C6 b B5 w A8 b G2 w F9 b H3 w H5 b H4 w H2 b J2 w H1 b G1 w G4 b J6 w J5 b H8 w E8 b F3 w J4 b J1 w E9
41 reg_genmove black
#? [J3]

boardsize 9
gogui-play_sequence b C4 w F4 b E7 w C7 b E5 w G6 b E4 w E3 b F3 w G3 b F2 w G2 b E2 w D3 b D2 w B5 b C3 w C8 b G5 w F5 b F6 w G4 b H6 w G7 b H5 w H7 b H4 w H3 b G1 w J3 b D8 w A8 b B9 w C9 b B6 w C6 b C5 w A6 b H1 w F8 b J2 w J5
42 reg_genmove black
#? [H2]

boardsize 9
gogui-play_sequence b G5 w C4 b E3 w D7 b E7 w D6 b E6 w E5 b F5 w E4 b F3 w D3 b D2 w C2 b D8 w C8 b E8 w E2 b F2 w D1 b B8 w C7 b C9 w B9 b A9 w B7 b F4 w F1 b G1 w E1 b G2 w G7 b B9 w D9 b E9 w G8 b F6 w H6 b H5 w J5 b H8 w H9 b J8 w J3 b J2 w H3 b H4 w J4 b H2 w G3 b G4 w J6 b G9 w F9 b F8 w G9 b G6 w H7 b A7 w D5 b C1 w D2 b A6 w B5 b B6 w C6 b F7 w A5
43 reg_genmove black
#? [J7]

boardsize 9
gogui-play_sequence b C5 w G5 b G3 w F4 b H5 w F3 b G4 w F5 b H6 w C3 b B3 w D8 b C4 w D3 b C7 w G7 b G6 w F6 b H7 w G8 b E7 w D7 b D6 w C8 b E6 w B7 b E8 w H2 b G2 w F2 b H3 w G1 b F7 w J3 b H4 w H8 b J8 w J7 b J6 w C6 b B6 w C7 b D5 w B5 b B4 w A5 b B2 w C2 b H1 w F1 b C1 w D1 b E2 w F9 b E9 w D4 b E3 w E4 b F8 w B1 b J2 w D9 b A2 w A4 b E5 w C1 b H9 w B8 b E1 w A7 b G9 w H8 b G8 w A9
44 reg_genmove black
#? [A1]

boardsize 9
gogui-play_sequence b G4 w C5 b C3 w F6 b C7 w E5 b B5 w E3 b H6 w B6 b C6 w B4 b D5 w C4 b D4 w D3 b B3 w A5 b D6 w E4 b B7 w A2 b A3 w C2 b B2 w B1 b A1 w D2 b C1 w D1 b G7 w A6
45 reg_genmove black
#? [A4]

boardsize 9
gogui-play_sequence b E5 w E3 b F3 w F4 b E4 w G3 b F2 w D3 b F5 w G4 b G5 w G2 b B6 w C7 b C6 w D7 b E8 w C4 b C5 w B4 b H5 w E7 b F8 w F7 b G7 w B7 b D5 w D8 b B8 w A7 b B5 w B9 b A8 w D9 b C3 w E2 b C8 w H8 b G8 w H7 b G6 w C2 b E6 w H9 b D4 w B3 b F6 w A6 b A5 w C9 b J8 w J7 b H6 w E9 b H4 w H3 b D6 w J4 b J6 w H1
46 reg_genmove black
#? [F9]

boardsize 9
gogui-play_sequence b F6 w D4 b F4 w D6 b D3 w C3 b E3 w D8 b E7 w E9 b C2 w G7 b G6 w H6 b H5 w B2 b F8 w D2 b C4 w B3 b D7 w C7 b D5 w C5 b E4 w F9 b G8 w G9 b B4 w H8 b H9 w B8 b H7 w J7 b B6 w E1 b C6 w J5 b D9 w C9 b B7 w A8 b E2 w D1 b H4 w F2 b E8 w D9 b J9 w H3
47 reg_genmove black
#? [B9]

boardsize 9
gogui-play_sequence b E4 w E6 b D6 w D7 b D5 w C7 b E7 w F7 b E8 w F6 b F8 w G8 b D8 w C8 b B6 w G4 b G3 w H3 b G5 w H5 b F4 w H4 b G6 w G7 b B8 w D9 b B7 w E9 b F5 w G2 b H6 w F3 b H8 w H7 b J7 w J8 b J9 w J6 b J5 w E3 b J8 w G9 b D3 w B9 b C6 w C9 b J6 w D2 b C3 w C2 b B2 w E5
48 reg_genmove black
#? [H9]

// The first of four records, and what it is: six priority test cells at once, which is a
// comparison less in a row than three of them in two levels.

module rtm_first_of_four #(
  parameter int unsigned KeyW   = 0,
  parameter int unsigned IndexW = 6,
  localparam int unsigned KeyBits = KeyW == 0 ? 1 : KeyW
) (
  input  logic [4*9-1:0]       urgency_i,
  input  logic [4*KeyBits-1:0] key_i,
  input  logic [4*IndexW-1:0]  index_i,
  output logic [8:0]           urgency_o,
  output logic [KeyBits-1:0]   key_o,
  output logic [IndexW-1:0]    index_o
);

  localparam int unsigned Width = 9 + KeyBits + IndexW;

  logic [3:0][Width-1:0] all;
  for (genvar i = 0; i < 4; i++) begin : gen_all
    assign all[i] = {urgency_i[i*9 +: 9], key_i[i*KeyBits +: KeyBits],
                     index_i[i*IndexW +: IndexW]};
  end

  // By pair: the second comes first.
  logic [2:0][3:0] later;
  for (genvar a = 0; a < 3; a++) begin : gen_a
    for (genvar b = 0; b < 4; b++) begin : gen_b
      if (a < b) begin : gen_cell
        rtm_precedes #(.KeyW(KeyW)) u_precedes (
          .urgency_a_i(urgency_i[a*9 +: 9]),
          .urgency_b_i(urgency_i[b*9 +: 9]),
          .key_a_i    (key_i[a*KeyBits +: KeyBits]),
          .key_b_i    (key_i[b*KeyBits +: KeyBits]),
          .b_first_o  (later[a][b])
        );
      end else begin : gen_none
        assign later[a][b] = 1'b0;
      end
    end
  end

  logic [Width-1:0] low, high, first;
  logic             is_high;
  assign low     = later[0][1] ? all[1] : all[0];
  assign high    = later[2][3] ? all[3] : all[2];
  assign is_high = later[0][1] ? (later[2][3] ? later[1][3] : later[1][2])
                               : (later[2][3] ? later[0][3] : later[0][2]);
  assign first   = is_high ? high : low;
  logic unused;
  assign unused = ^{later[0][0], later[1][1:0], later[2][2:0]};

  assign {urgency_o, key_o, index_o} = first;

endmodule

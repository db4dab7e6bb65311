// The first of four records, and what it is: six priority test cells at once, which is a
// comparison less in a row than three of them in two levels.

module rtm_first_of_four #(
  parameter int unsigned KeyW       = 0,
  parameter int unsigned IndexW     = 6,
  // Of its priority test cells; with both, candidates are those of the cycle before.
  parameter bit          Registered = 1'b0,
  parameter bit          Chosen     = 1'b0,
  // Selects by one bit a record: faster for one cell, slower for several in a row.
  parameter bit          OneHot     = 1'b0,
  localparam int unsigned KeyBits = KeyW == 0 ? 1 : KeyW
) (
  input  logic                 clk_i,
  input  logic [4*9-1:0]       urgency_i,
  input  logic [4*KeyBits-1:0] key_i,
  input  logic [4*IndexW-1:0]  index_i,
  output logic [8:0]           urgency_o,
  output logic [KeyBits-1:0]   key_o,
  output logic [IndexW-1:0]    index_o
);

  localparam int unsigned Width = 8 + KeyBits + IndexW;

  logic [3:0][Width-1:0] all;
  for (genvar i = 0; i < 4; i++) begin : gen_all
    assign all[i] = {urgency_i[i*9 +: 8], key_i[i*KeyBits +: KeyBits],
                     index_i[i*IndexW +: IndexW]};
  end

  // By pair: the second comes first.
  logic [2:0][3:0] later;
  for (genvar a = 0; a < 3; a++) begin : gen_a
    for (genvar b = 0; b < 4; b++) begin : gen_b
      if (a < b) begin : gen_cell
        rtm_precedes #(
          .KeyW      (KeyW),
          .Registered(Registered),
          .Chosen    (Chosen)
        ) u_precedes (
          .clk_i,
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

  logic [Width-1:0] first;
  if (OneHot) begin : gen_one_hot
    // One comes before all others. (keys that span half their range or more can be in a circle:
    // then it is the last, which has to be one of them)
    // (kept, lest synthesis puts more look-up tables in a row to save some)
    logic [2:0]            early;
    logic                  last;
    (* keep *) logic [3:0] wins;
    assign early[0] = !later[0][1] && !later[0][2] && !later[0][3];
    assign early[1] = later[0][1] && !later[1][2] && !later[1][3];
    assign early[2] = later[0][2] && later[1][2] && !later[2][3];
    assign last = KeyW == 0 ? later[0][3] && later[1][3] && later[2][3] : early == '0;
    assign wins = {last, early};
    always_comb begin
      first = '0;
      for (int unsigned i = 0; i < 4; i++) begin
        if (wins[i]) first |= all[i];
      end
    end
  end else begin : gen_binary
    logic [Width-1:0] low, high;
    logic             is_high;
    assign low     = later[0][1] ? all[1] : all[0];
    assign high    = later[2][3] ? all[3] : all[2];
    assign is_high = later[0][1] ? (later[2][3] ? later[1][3] : later[1][2])
                                 : (later[2][3] ? later[0][3] : later[0][2]);
    assign first   = is_high ? high : low;
  end
  logic unused;
  assign unused = ^{later[0][0], later[1][1:0], later[2][2:0]};

  assign {urgency_o[7:0], key_o, index_o} = first;
  // (whether there is one does not wait for comparisons)
  logic none;
  assign none = urgency_i[8] && urgency_i[17] && urgency_i[26] && urgency_i[35];
  if (Registered && Chosen) begin : gen_chosen
    logic none_q;
    always_ff @(posedge clk_i) none_q <= none;
    assign urgency_o[8] = none_q;
  end else begin : gen_at_once
    assign urgency_o[8] = none;
  end

endmodule

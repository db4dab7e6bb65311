// The first of N records: a tree of cells that each tell the first of four.
//
// An answer comes in the cycle after its question, and as many later as there are `Stages`:
// registers that are spread over its levels. There may be a question each cycle. Priorities and
// keys must stay as they are from the question until they have passed the leaves, which is one
// cycle. Records are compared in the cycle of the question: without further registers that they
// are candidates is then known soon enough to be compared with, else it is registered.

module rtm_tree #(
  parameter int unsigned N      = 64,  // a power of two
  parameter int unsigned KeyW   = 0,
  parameter int unsigned Stages = 0,
  localparam int unsigned IndexW  = $clog2(N),
  localparam int unsigned KeyBits = KeyW == 0 ? 1 : KeyW
) (
  input  logic                 clk_i,
  input  logic [N-1:0]         candidate_i,
  input  logic [N*8-1:0]       priority_i,
  input  logic [N*KeyBits-1:0] key_i,
  output logic                 found_o,
  output logic [IndexW-1:0]    index_o
);

  localparam int unsigned Levels = (IndexW + 1) / 2;
  // Leaves, of which those from N on are no candidates.
  localparam int unsigned Leaves = 4 ** Levels;
  // Where the nodes of a level begin: level 0 is the root, the last that of the leaves.
  function automatic int unsigned begin_of(input int unsigned level);
    begin_of = (4 ** level - 1) / 3;
  endfunction
  localparam int unsigned Nodes = (4 ** (Levels + 1) - 1) / 3;

  logic [Nodes*9-1:0]       urgency /* verilator split_var */;
  logic [Nodes*KeyBits-1:0] key     /* verilator split_var */;
  logic [Nodes*IndexW-1:0]  index   /* verilator split_var */;

  logic [N-1:0] candidate;
  if (Stages == 0) begin : gen_candidates
    assign candidate = candidate_i;
  end else begin : gen_registered_candidates
    always_ff @(posedge clk_i) candidate <= candidate_i;
  end

  for (genvar i = 0; i < Leaves; i++) begin : gen_leaf
    localparam int unsigned Leaf = begin_of(Levels) + i;
    if (i < N) begin : gen_record
      assign urgency[Leaf*9 +: 9]         = {!candidate[i], priority_i[i*8 +: 8]};
      assign key[Leaf*KeyBits +: KeyBits] = key_i[i*KeyBits +: KeyBits];
      assign index[Leaf*IndexW +: IndexW] = IndexW'(i);
    end else begin : gen_none
      assign urgency[Leaf*9 +: 9]         = '1;
      assign key[Leaf*KeyBits +: KeyBits] = '0;
      assign index[Leaf*IndexW +: IndexW] = '0;
    end
  end

  for (genvar level = 0; level < Levels; level++) begin : gen_level
    // levels of cells from the leaves to these, and whether a register stands behind them
    localparam int unsigned Depth = Levels - level;
    localparam bit IsRegistered =
        Depth < Levels &&
        (Depth * (Stages + 1)) / Levels != ((Depth - 1) * (Stages + 1)) / Levels;
    for (genvar i = 0; i < 4 ** level; i++) begin : gen_cell
      localparam int unsigned Node = begin_of(level) + i;
      localparam int unsigned From = begin_of(level + 1) + 4 * i;

      logic [8:0]         first_urgency;
      logic [KeyBits-1:0] first_key;
      logic [IndexW-1:0]  first_index;
      rtm_first_of_four #(
        .KeyW      (KeyW),
        .IndexW    (IndexW),
        .Registered(Depth == 1),
        .Chosen    (Stages == 0),
        .OneHot    (Stages != 0)
      ) u_first (
        .clk_i,
        .urgency_i(urgency[From*9 +: 4*9]),
        .key_i    (key[From*KeyBits +: 4*KeyBits]),
        .index_i  (index[From*IndexW +: 4*IndexW]),
        .urgency_o(first_urgency),
        .key_o    (first_key),
        .index_o  (first_index)
      );

      if (IsRegistered) begin : gen_register
        logic [8:0]         urgency_q;
        logic [KeyBits-1:0] key_q;
        logic [IndexW-1:0]  index_q;
        always_ff @(posedge clk_i) begin
          urgency_q <= first_urgency;
          key_q     <= first_key;
          index_q   <= first_index;
        end
        assign urgency[Node*9 +: 9]         = urgency_q;
        assign key[Node*KeyBits +: KeyBits] = key_q;
        assign index[Node*IndexW +: IndexW] = index_q;
      end else begin : gen_wire
        assign urgency[Node*9 +: 9]         = first_urgency;
        assign key[Node*KeyBits +: KeyBits] = first_key;
        assign index[Node*IndexW +: IndexW] = first_index;
      end
    end
  end

  assign found_o = !urgency[8];
  assign index_o = index[0 +: IndexW];

  logic unused;
  assign unused = ^{urgency[7:0], key[0 +: KeyBits]};

endmodule

// Whether record B comes before record A, which has the lower index: a priority test cell.
//
// A lower number is more urgent; that of a record that is no candidate is beyond any priority.
// Among equals the key decides, as a serial number: live keys span less than half its range. A
// full tie is A's.
//
// An early cell compares priorities and keys a cycle before it is told which records are
// candidates; until then these stay.

module rtm_precedes #(
  parameter int unsigned KeyW = 0,
  parameter bit          Early = 1'b0,
  localparam int unsigned KeyBits = KeyW == 0 ? 1 : KeyW
) (
  input  logic               clk_i,
  input  logic [8:0]         urgency_a_i,
  input  logic [8:0]         urgency_b_i,
  input  logic [KeyBits-1:0] key_a_i,
  input  logic [KeyBits-1:0] key_b_i,
  output logic               b_first_o
);

  // Of an early cell only priorities.
  localparam int unsigned UrgencyW = Early ? 8 : 9;
  logic [UrgencyW-1:0] urgency_a, urgency_b;
  assign urgency_a = urgency_a_i[UrgencyW-1:0];
  assign urgency_b = urgency_b_i[UrgencyW-1:0];

  logic is_before;
  if (KeyW == 0) begin : gen_priority
    logic unused_keys;
    assign unused_keys = ^{key_a_i, key_b_i};
    assign is_before   = urgency_b < urgency_a;
  end else begin : gen_key
    logic [KeyBits-1:0] apart;
    assign apart     = key_b_i - key_a_i;
    assign is_before = urgency_b < urgency_a || (urgency_b == urgency_a && apart[KeyBits-1]);
  end

  if (Early) begin : gen_early
    logic before_q;
    always_ff @(posedge clk_i) before_q <= is_before;
    // (of two that are no candidates neither matters)
    assign b_first_o = urgency_a_i[8] || (!urgency_b_i[8] && before_q);
  end else begin : gen_at_once
    logic unused_clk;
    assign unused_clk = clk_i;
    assign b_first_o  = is_before;
  end

endmodule

// Whether record B comes before record A, which has the lower index: a priority test cell.
//
// A lower number is more urgent; that of a record that is no candidate is beyond any priority.
// Among equals the key decides, as a serial number: live keys span less than half its range. A
// full tie is A's.
//
// A cell with a register compares priorities and keys in the cycle before its answer; with
// `Chosen` it is told in that cycle too which of the two are candidates, else with the answer.

module rtm_precedes #(
  parameter int unsigned KeyW       = 0,
  parameter bit          Registered = 1'b0,
  parameter bit          Chosen     = 1'b0,
  localparam int unsigned KeyBits = KeyW == 0 ? 1 : KeyW
) (
  input  logic               clk_i,
  input  logic [8:0]         urgency_a_i,
  input  logic [8:0]         urgency_b_i,
  input  logic [KeyBits-1:0] key_a_i,
  input  logic [KeyBits-1:0] key_b_i,
  output logic               b_first_o
);

  // With a register, candidates come last. (an even number of bits, else the carry of the last
  // takes another look-up table where a cell of a carry chain has two)
  localparam int unsigned UrgencyW = Registered ? 8 : 10;
  logic [UrgencyW-1:0] urgency_a, urgency_b;
  if (Registered) begin : gen_priorities
    assign urgency_a = urgency_a_i[7:0];
    assign urgency_b = urgency_b_i[7:0];
  end else begin : gen_urgencies
    assign urgency_a = {urgency_a_i, 1'b0};
    assign urgency_b = {urgency_b_i, 1'b0};
  end

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

  // (of two that are no candidates neither matters)
  if (Registered && Chosen) begin : gen_chosen
    logic b_first_q;
    always_ff @(posedge clk_i) b_first_q <= urgency_a_i[8] || (!urgency_b_i[8] && is_before);
    assign b_first_o = b_first_q;
  end else if (Registered) begin : gen_early
    logic before_q;
    always_ff @(posedge clk_i) before_q <= is_before;
    assign b_first_o = urgency_a_i[8] || (!urgency_b_i[8] && before_q);
  end else begin : gen_at_once
    logic unused_clk;
    assign unused_clk = clk_i;
    assign b_first_o  = is_before;
  end

endmodule

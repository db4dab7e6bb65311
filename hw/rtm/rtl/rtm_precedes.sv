// Whether record B comes before record A, which has the lower index: a priority test cell.
//
// A lower number is more urgent; that of a record that is no candidate is beyond any priority.
// Among equals the key decides, as a serial number: live keys span less than half its range. A
// full tie is A's.

module rtm_precedes #(
  parameter int unsigned KeyW = 0,
  localparam int unsigned KeyBits = KeyW == 0 ? 1 : KeyW
) (
  input  logic [8:0]         urgency_a_i,
  input  logic [8:0]         urgency_b_i,
  input  logic [KeyBits-1:0] key_a_i,
  input  logic [KeyBits-1:0] key_b_i,
  output logic               b_first_o
);

  if (KeyW == 0) begin : gen_priority
    logic unused_keys;
    assign unused_keys = ^{key_a_i, key_b_i};
    assign b_first_o   = urgency_b_i < urgency_a_i;
  end else begin : gen_key
    logic [KeyBits-1:0] apart;
    assign apart     = key_b_i - key_a_i;
    assign b_first_o = urgency_b_i < urgency_a_i ||
                       (urgency_b_i == urgency_a_i && apart[KeyBits-1]);
  end

endmodule

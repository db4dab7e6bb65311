// A delay decrement cell: takes a number of ticks from a delay, which does not go below 0.

module rtm_decrement #(
  parameter int unsigned DelayW = 16
) (
  input  logic [DelayW-1:0] delay_i,
  input  logic [DelayW-1:0] ticks_i,
  output logic [DelayW-1:0] delay_o,
  output logic              runs_out_o
);

  // (the difference of equals is 0: what is left does not wait for that comparison)
  logic is_less;
  assign is_less    = delay_i < ticks_i;
  assign runs_out_o = is_less || delay_i == ticks_i;
  assign delay_o    = is_less ? '0 : delay_i - ticks_i;

endmodule

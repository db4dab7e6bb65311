// A clock that runs while it is needed, and some cycles longer.
//
// What has been done is seen by all registers then: the tree settles, and a change of the top
// becomes a cause of an interrupt.

module rtm_clock #(
  // Cycles after the last in which it was needed.
  parameter int unsigned Longer = 7,
  localparam int unsigned LeftW = $clog2(Longer + 1)
) (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic needed_i,
  output logic clk_o
);

  logic [LeftW-1:0] left_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni)           left_q <= LeftW'(Longer);
    else if (needed_i)     left_q <= LeftW'(Longer);
    else if (left_q != '0) left_q <= left_q - LeftW'(1);
  end

  // (it changes while the clock is low: no edge is cut)
  logic runs;
  always_latch begin
    if (!clk_i) runs = needed_i || left_q != '0;
  end
  assign clk_o = clk_i && runs;

endmodule

// Who has the bus: instruction or data side of the core.
//
// The grant is a register, as in LiteX's shared interconnect: it stays where it
// is until its owner ends a cycle while the other side asks, and moves one clock
// later.

module arbiter (
  input  logic clk_i,
  input  logic rst_i,
  input  logic i_cyc_i,
  input  logic d_cyc_i,
  output logic grant_data_o
);

  logic grant_data_q, grant_data_d;

  always_comb begin
    grant_data_d = grant_data_q;
    if (grant_data_q ? !d_cyc_i & i_cyc_i : !i_cyc_i & d_cyc_i) grant_data_d = ~grant_data_q;
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) grant_data_q <= 1'b0;
    else       grant_data_q <= grant_data_d;
  end

  assign grant_data_o = grant_data_q;

endmodule

// Causes of an interrupt: a delay has run out, or the first ready record is another than software
// knows.

module rtm_causes #(
  parameter int unsigned IndexW = 6,
  // Registers in the comparator tree.
  parameter int unsigned Stages = 0
) (
  input  logic              clk_i,
  input  logic              rst_ni,

  // `CAUSE` and `ENABLE` are written.
  input  logic              cause_we_i,
  input  logic              enable_we_i,
  input  logic [1:0]        wdata_i,
  output logic [1:0]        cause_o,
  output logic [1:0]        enable_o,

  // A delay runs out.
  input  logic              expires_i,
  // No request is under way: the tree watches which record is ready.
  input  logic              idle_i,
  // What stands at the end of the tree, and that it is returned as the top.
  input  logic              found_i,
  input  logic [IndexW-1:0] first_i,
  input  logic              told_i,

`ifdef FORMAL
  // What software knows.
  output logic              known_found_o,
  output logic [IndexW-1:0] known_first_o,
`endif

  output logic              irq_o
);

  logic [1:0] enable_q;
  logic       ran_out_q, top_changed_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      enable_q  <= '0;
      ran_out_q <= 1'b0;
    end else begin
      if (enable_we_i) enable_q <= wdata_i;
      if (expires_i)                                       ran_out_q <= 1'b1;
      else if (cause_we_i && wdata_i[rtm_pkg::CauseDelay]) ran_out_q <= 1'b0;
    end
  end

  // What software knows.
  logic              known_found_q;
  logic [IndexW-1:0] known_first_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      known_found_q <= 1'b0;
      known_first_q <= '0;
    end else if (told_i) begin
      known_found_q <= found_i;
      known_first_q <= first_i;
    end
  end

  // Questions and answers that are still in the tree are not of what is ready.
  localparam logic [2:0] Settled = 3'(Stages + 2);
  logic [2:0] settled_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni)                   settled_q <= '0;
    else if (!idle_i)              settled_q <= '0;
    else if (settled_q != Settled) settled_q <= settled_q + 3'd1;
  end

  logic watches;
  assign watches = idle_i && settled_q == Settled;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni)      top_changed_q <= 1'b0;
    else if (told_i)  top_changed_q <= 1'b0;
    else if (watches) top_changed_q <= found_i != known_found_q ||
                                       (found_i && first_i != known_first_q);
  end

`ifdef FORMAL
  assign known_found_o = known_found_q;
  assign known_first_o = known_first_q;
  always_comb begin
    assert (settled_q <= Settled);
  end
`endif

  assign cause_o[rtm_pkg::CauseDelay] = ran_out_q;
  assign cause_o[rtm_pkg::CauseTop]   = top_changed_q;
  assign enable_o                     = enable_q;
  assign irq_o                        = |(cause_o & enable_q);

endmodule

// Ticks that are counted without a command: one each `period_o` cycles, none if that is 0. They
// stay until they are taken, by which time advances.

module rtm_ticks #(
  // Bits for ticks that have not been taken yet.
  parameter int unsigned CountW = 4
) (
  input  logic              clk_i,
  input  logic              rst_ni,

  // A period is written; the first tick comes after as many cycles.
  input  logic              we_i,
  input  logic [31:0]       wdata_i,
  output logic [31:0]       period_o,

`ifdef FORMAL
  // Cycles until the next tick.
  output logic [31:0]       phase_o,
`endif

  input  logic              take_i,
  output logic [CountW-1:0] count_o
);

  logic [31:0]       period_q, phase_q;
  logic [CountW-1:0] count_q;

  logic ticks;
  assign ticks = period_q != '0 && phase_q == '0;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      period_q <= '0;
      phase_q  <= '0;
      count_q  <= '0;
    end else begin
      if (we_i) begin
        period_q <= wdata_i;
        phase_q  <= wdata_i - 32'd1;
      end else if (period_q != '0) begin
        phase_q <= ticks ? period_q - 32'd1 : phase_q - 32'd1;
      end
      count_q <= (take_i ? '0 : count_q) + CountW'(ticks);
    end
  end

  assign period_o = period_q;
  assign count_o  = count_q;
`ifdef FORMAL
  assign phase_o  = phase_q;
`endif

endmodule

// Core-local interruptor of one hart, laid out as SiFive's. `mtime` is the cycle
// counter and cannot be written.

module clint (
  input  logic        clk_i,
  input  logic        rst_i,
  input  logic [63:0] mtime_i,
  input  logic        write_i,
  input  logic [15:0] adr_i,
  input  logic [31:0] wdata_i,
  output logic [31:0] rdata_o,
  output logic        timer_irq_o,
  output logic        software_irq_o
);

  localparam logic [15:0] Msip         = 16'h0000;
  localparam logic [15:0] MtimecmpLow  = 16'h4000;
  localparam logic [15:0] MtimecmpHigh = 16'h4004;
  localparam logic [15:0] MtimeLow     = 16'hBFF8;
  localparam logic [15:0] MtimeHigh    = 16'hBFFC;

  logic [63:0] mtimecmp_q;
  logic        msip_q;

  always_comb begin
    unique case (adr_i)
      Msip:         rdata_o = {31'b0, msip_q};
      MtimecmpLow:  rdata_o = mtimecmp_q[31:0];
      MtimecmpHigh: rdata_o = mtimecmp_q[63:32];
      MtimeLow:     rdata_o = mtime_i[31:0];
      MtimeHigh:    rdata_o = mtime_i[63:32];
      default:      rdata_o = '0;
    endcase
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      mtimecmp_q <= '1;
      msip_q     <= 1'b0;
    end else if (write_i) begin
      if (adr_i == Msip)         msip_q <= wdata_i[0];
      if (adr_i == MtimecmpLow)  mtimecmp_q[31:0]  <= wdata_i;
      if (adr_i == MtimecmpHigh) mtimecmp_q[63:32] <= wdata_i;
    end
  end

  assign timer_irq_o    = mtime_i >= mtimecmp_q;
  assign software_irq_o = msip_q;

endmodule

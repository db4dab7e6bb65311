// Core-local interruptor, laid out as SiFive's. `mtime` is the cycle counter and
// cannot be written.

module clint #(
  parameter int unsigned Harts = 1
) (
  input  logic        clk_i,
  input  logic        rst_i,
  input  logic [63:0] mtime_i,
  input  logic        write_i,
  input  logic [15:0] adr_i,
  input  logic [31:0] wdata_i,
  output logic [31:0] rdata_o,
  output logic [Harts-1:0] timer_irq_o,
  output logic [Harts-1:0] software_irq_o
);

  localparam logic [15:0] Msip         = 16'h0000;   // a word a hart
  localparam logic [15:0] MtimecmpLow  = 16'h4000;   // two words a hart
  localparam logic [15:0] MtimecmpHigh = 16'h4004;
  localparam logic [15:0] MtimeLow     = 16'hBFF8;
  localparam logic [15:0] MtimeHigh    = 16'hBFFC;

  logic [Harts-1:0][63:0] mtimecmp_q;
  logic [Harts-1:0]       msip_q;

  always_comb begin
    rdata_o = '0;
    if (adr_i == MtimeLow)  rdata_o = mtime_i[31:0];
    if (adr_i == MtimeHigh) rdata_o = mtime_i[63:32];
    for (int unsigned hart = 0; hart < Harts; ++hart) begin
      if (adr_i == Msip + 16'(4 * hart))         rdata_o = {31'b0, msip_q[hart]};
      if (adr_i == MtimecmpLow + 16'(8 * hart))  rdata_o = mtimecmp_q[hart][31:0];
      if (adr_i == MtimecmpHigh + 16'(8 * hart)) rdata_o = mtimecmp_q[hart][63:32];
    end
  end

  for (genvar hart = 0; hart < Harts; ++hart) begin : gen_hart
    always_ff @(posedge clk_i) begin
      if (rst_i) begin
        mtimecmp_q[hart] <= '1;
        msip_q[hart]     <= 1'b0;
      end else if (write_i) begin
        if (adr_i == Msip + 16'(4 * hart))         msip_q[hart] <= wdata_i[0];
        if (adr_i == MtimecmpLow + 16'(8 * hart))  mtimecmp_q[hart][31:0]  <= wdata_i;
        if (adr_i == MtimecmpHigh + 16'(8 * hart)) mtimecmp_q[hart][63:32] <= wdata_i;
      end
    end
    assign timer_irq_o[hart] = mtime_i >= mtimecmp_q[hart];
  end

  assign software_irq_o = msip_q;

endmodule

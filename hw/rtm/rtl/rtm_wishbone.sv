// The task manager on a Wishbone bus (B4, classic cycles, 32 bits).

module rtm_wishbone #(
  parameter int unsigned N          = 64,
  parameter int unsigned DelayW     = 16,
  parameter int unsigned DelayCells = N,
  parameter int unsigned Stages     = 0,
  parameter int unsigned KeyW       = 0,
  parameter bit          Timed      = 1'b0,
  parameter bit          Stamps     = 1'b0,
  parameter bit          Releases   = 1'b0,
  parameter bit          Interrupts = 1'b0,
  parameter bit          Many       = 1'b0,
  // The clock of the records stands while nothing is under way. (An FPGA has few clocks.)
  parameter bit          Gated      = 1'b0
) (
  input  logic        clk_i,
  input  logic        rst_ni,

  input  logic        cyc_i,
  input  logic        stb_i,
  input  logic        we_i,
  input  logic [10:0] adr_i,  // of a word
  input  logic [3:0]  sel_i,
  input  logic [31:0] dat_i,
  output logic [31:0] dat_o,
  output logic        ack_o,

  output logic        irq_o
);

  logic req, busy, clk;
  assign req = cyc_i && stb_i;
  if (Gated) begin : gen_gated
    rtm_clock u_clock (
      .clk_i,
      .rst_ni,
      .needed_i(req || busy),
      .clk_o   (clk)
    );
  end else begin : gen_free
    logic unused_busy;
    assign unused_busy = busy;
    assign clk         = clk_i;
  end

  rtm #(
    .N         (N),
    .DelayW    (DelayW),
    .DelayCells(DelayCells),
    .Stages    (Stages),
    .KeyW      (KeyW),
    .Timed     (Timed),
    .Stamps    (Stamps),
    .Releases  (Releases),
    .Interrupts(Interrupts),
    .Many      (Many)
  ) u_rtm (
    .clk_i      (clk),
    .clk_ticks_i(clk_i),
    .rst_ni,
    .busy_o     (busy),
    .req_i      (req),
    .we_i,
    .addr_i     ({adr_i, 2'b00}),
    .be_i       (sel_i),
    .wdata_i    (dat_i),
    .ack_o,
    .rdata_o    (dat_o),
    .irq_o
  );

endmodule

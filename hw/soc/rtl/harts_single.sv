// The harts of the chip, of which there is one: a VexRiscv core on the chip's bus.
//
// Which file has the module `harts` decides which cores a chip has: this one, or
// `harts_cluster.sv`.

module harts #(
  parameter int unsigned Harts = 1
) (
  input  logic        clk_i,
  input  logic        rst_i,

  input  logic [Harts-1:0]       timer_irq_i,
  input  logic [Harts-1:0]       software_irq_i,
  input  logic [Harts-1:0][31:0] external_irq_i,

  // Instruction side: `wants` for the arbiter, `req` for the bus that it grants.
  input  logic        i_granted_i,
  output logic        i_wants_o,
  output logic        i_req_o,
  output logic [29:0] i_adr_o,
  output logic [2:0]  i_cti_o,
  input  logic        i_ack_i,
  input  logic        i_err_i,

  // Data side, and which hart asks.
  input  logic        d_granted_i,
  output logic        d_wants_o,
  output logic        d_req_o,
  output logic        d_we_o,
  output logic [29:0] d_adr_o,
  output logic [31:0] d_wdata_o,
  output logic [3:0]  d_sel_o,
  output logic [2:0]  d_cti_o,
  output logic [3:0]  d_hart_o,
  input  logic        d_ack_i,
  input  logic        d_err_i,

  input  logic [31:0] rdata_i,

  output logic [Harts-1:0]       retired_valid_o,
  output logic [Harts-1:0]       retired_user_o,
  output logic [Harts-1:0][31:0] retired_pc_o,
  output logic [Harts-1:0][31:0] retired_word_o
);

  localparam logic [31:0] ResetVector = 32'h4000_0000;

  logic        i_stb, i_we, d_stb;
  logic [31:0] i_wdata;
  logic [3:0]  i_sel;
  logic [1:0]  i_bte, d_bte;

  VexRiscv u_core (
    .externalResetVector    (ResetVector),
    .timerInterrupt         (timer_irq_i[0]),
    .softwareInterrupt      (software_irq_i[0]),
    .externalInterruptArray (external_irq_i[0]),
    .iBusWishbone_CYC       (i_wants_o),
    .iBusWishbone_STB       (i_stb),
    .iBusWishbone_ACK       (i_ack_i),
    .iBusWishbone_WE        (i_we),
    .iBusWishbone_ADR       (i_adr_o),
    .iBusWishbone_DAT_MISO  (rdata_i),
    .iBusWishbone_DAT_MOSI  (i_wdata),
    .iBusWishbone_SEL       (i_sel),
    .iBusWishbone_ERR       (i_err_i),
    .iBusWishbone_CTI       (i_cti_o),
    .iBusWishbone_BTE       (i_bte),
    .dBusWishbone_CYC       (d_wants_o),
    .dBusWishbone_STB       (d_stb),
    .dBusWishbone_ACK       (d_ack_i),
    .dBusWishbone_WE        (d_we_o),
    .dBusWishbone_ADR       (d_adr_o),
    .dBusWishbone_DAT_MISO  (rdata_i),
    .dBusWishbone_DAT_MOSI  (d_wdata_o),
    .dBusWishbone_SEL       (d_sel_o),
    .dBusWishbone_ERR       (d_err_i),
    .dBusWishbone_CTI       (d_cti_o),
    .dBusWishbone_BTE       (d_bte),
    .clk                    (clk_i),
    .reset                  (rst_i)
  );

  assign i_req_o  = i_wants_o & i_stb;
  assign d_req_o  = d_wants_o & d_stb;
  assign d_hart_o = '0;

  // The last stage of the core, whose names its generator promises.
  assign retired_valid_o = u_core.lastStageIsFiring;
  assign retired_pc_o    = u_core.lastStagePc;
  assign retired_word_o  = u_core.lastStageInstruction;
  assign retired_user_o  = u_core.CsrPlugin_privilege == 2'b00;

`ifndef SYNTHESIS
  NoFetchWrites: assert property (@(posedge clk_i) disable iff (rst_i) !(i_req_o & i_we));
`endif

endmodule

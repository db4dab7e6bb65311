// A small deterministic system-on-chip around VexRiscv cores: one, or a cluster.
//
// One 32-bit Wishbone bus that instruction and data side share, RAM, and a
// block of I/O registers (see the README for their map). Nothing in it depends
// on anything but its inputs: two runs of a program take the same cycles.
//
// The clock is called 100 MHz; there is no other clock.

module soc #(
  // Words of RAM; a power of two. The harness asks for the default.
  parameter int unsigned RamWords      = 1 << 20,
  parameter int unsigned Harts         = 1,
  // Records of the task manager, and what else can be chosen of it; 0 without one.
  parameter int unsigned RtmN          = 0,
  parameter int unsigned RtmDelayW     = 16,
  parameter int unsigned RtmDelayCells = RtmN,
  parameter int unsigned RtmStages     = 0,
  parameter int unsigned RtmKeyW       = 0,
  parameter bit          RtmTimed      = 1'b0,
  parameter bit          RtmStamps     = 1'b0,
  parameter bit          RtmReleases   = 1'b0,
  parameter bit          RtmInterrupts = 1'b0,
  parameter bit          RtmMany       = 1'b0
) (
  input  logic        clk_i,
  input  logic        rst_i,

  // Constant while the machine runs.
  input  logic [7:0]  ram_first_i,    // cycles from strobe to acknowledge, single or first word (>= 1)
  input  logic [7:0]  ram_burst_i,    // cycles a word that follows in a burst (>= 1)
  input  logic [31:0] argument_i,

  // A byte arrives on the serial line in this cycle.
  input  logic        rx_valid_i,
  input  logic [7:0]  rx_data_i,
  output logic        rx_full_o,

  // What the program tells the host; `valid` for one cycle.
  output logic        tx_valid_o,
  output logic [7:0]  tx_data_o,
  output logic        exit_valid_o,
  output logic [31:0] exit_code_o,
  output logic        probe_valid_o,
  output logic [31:0] probe_id_o,
  output logic [3:0]  probe_hart_o,
  output logic        error_valid_o,   // nothing lies where the core asked
  output logic [31:0] error_address_o,

  // What can be watched of each hart without a word from the program: the
  // instruction that leaves the pipeline in this cycle, and the lines that interrupt.
  output logic [Harts-1:0]       retired_valid_o,
  output logic [Harts-1:0][31:0] retired_pc_o,
  output logic [Harts-1:0][31:0] retired_word_o,
  output logic [Harts-1:0]       retired_user_o,      // in user mode
  output logic [Harts-1:0]       timer_line_o,
  output logic [Harts-1:0]       software_line_o,
  output logic [Harts-1:0]       generator_line_o,

  // Cycles since reset.
  output logic [63:0] cycle_o
);

  // Instruction side (`i`) and data side (`d`) of the harts.
  logic        i_wants, i_req, i_ack, i_err;
  logic        d_wants, d_req, d_we, d_ack, d_err;
  logic [29:0] i_adr, d_adr;
  logic [31:0] d_wdata;
  logic [3:0]  d_sel, d_hart;
  logic [2:0]  i_cti, d_cti;

  // The shared bus: whoever has the grant.
  logic        bus_req, bus_data_side, bus_we, bus_ack, bus_err;
  logic [29:0] bus_adr;
  logic [31:0] bus_wdata, bus_rdata;
  logic [3:0]  bus_sel;
  logic [2:0]  bus_cti;

  logic        io_select, io_ack, ram_ack;
  logic [31:0] io_rdata, ram_rdata;
  logic        rtm_select, rtm_ack, rtm_irq;
  logic [31:0] rtm_rdata;
  logic        uart_irq;
  logic [Harts-1:0]       timer_irq, software_irq, generator_irq;
  logic [Harts-1:0][31:0] external_irq;

  for (genvar hart = 0; hart < Harts; ++hart) begin : gen_external
    assign external_irq[hart] = {29'b0, rtm_irq, uart_irq, generator_irq[hart]};
  end

  harts #(
    .Harts (Harts)
  ) u_harts (
    .clk_i,
    .rst_i,
    .timer_irq_i    (timer_irq),
    .software_irq_i (software_irq),
    .external_irq_i (external_irq),
    .i_granted_i    (~bus_data_side),
    .i_wants_o      (i_wants),
    .i_req_o        (i_req),
    .i_adr_o        (i_adr),
    .i_cti_o        (i_cti),
    .i_ack_i        (i_ack),
    .i_err_i        (i_err),
    .d_granted_i    (bus_data_side),
    .d_wants_o      (d_wants),
    .d_req_o        (d_req),
    .d_we_o         (d_we),
    .d_adr_o        (d_adr),
    .d_wdata_o      (d_wdata),
    .d_sel_o        (d_sel),
    .d_cti_o        (d_cti),
    .d_hart_o       (d_hart),
    .d_ack_i        (d_ack),
    .d_err_i        (d_err),
    .rdata_i        (bus_rdata),
    .retired_valid_o,
    .retired_user_o,
    .retired_pc_o,
    .retired_word_o
  );

  arbiter u_arbiter (
    .clk_i,
    .rst_i,
    .i_cyc_i         (i_wants),
    .d_cyc_i         (d_wants),
    .grant_data_o    (bus_data_side)
  );

  // ---- Both sides to one bus; the instruction side never writes

  assign bus_req   = bus_data_side ? d_req : i_req;
  assign bus_we    = bus_data_side & d_we;
  assign bus_adr   = bus_data_side ? d_adr : i_adr;
  assign bus_cti   = bus_data_side ? d_cti : i_cti;
  assign bus_wdata = d_wdata;
  assign bus_sel   = d_sel;

  assign i_ack = bus_ack & ~bus_data_side;
  assign i_err = bus_err & ~bus_data_side;
  assign d_ack = bus_ack &  bus_data_side;
  assign d_err = bus_err &  bus_data_side;

  // ---- I/O at 0xF000_0000, for data only; the RAM answers for all else

  // (the task manager, where there is one, has 8 KiB of it)
  assign io_select  = bus_data_side & (bus_adr[29:26] == 4'hF);
  assign rtm_select = RtmN != 0 && io_select && bus_adr[25:11] == 15'h10;
  assign bus_ack    = ram_ack | io_ack | rtm_ack;
  assign bus_rdata  = rtm_ack ? rtm_rdata : io_ack ? io_rdata : ram_rdata;

  ram #(
    .Words (RamWords)
  ) u_ram (
    .clk_i,
    .rst_i,
    .first_i (ram_first_i),
    .burst_i (ram_burst_i),
    .req_i   (bus_req & ~io_select),
    .we_i    (bus_we),
    .adr_i   (bus_adr),
    .wdata_i (bus_wdata),
    .sel_i   (bus_sel),
    .cti_i   (bus_cti),
    .ack_o   (ram_ack),
    .err_o   (bus_err),
    .rdata_o (ram_rdata)
  );

  io #(
    .Harts (Harts)
  ) u_io (
    .clk_i,
    .rst_i,
    .req_i          (bus_req & io_select & ~rtm_select),
    .we_i           (bus_we),
    .adr_i          ({bus_adr[25:0], 2'b00}),
    .wdata_i        (bus_wdata),
    .sel_i          (bus_sel),
    .hart_i         (d_hart),
    .ack_o          (io_ack),
    .rdata_o        (io_rdata),
    .argument_i,
    .rx_valid_i,
    .rx_data_i,
    .rx_full_o,
    .tx_valid_o,
    .tx_data_o,
    .exit_valid_o,
    .exit_code_o,
    .probe_valid_o,
    .probe_id_o,
    .probe_hart_o,
    .timer_irq_o     (timer_irq),
    .software_irq_o  (software_irq),
    .generator_irq_o (generator_irq),
    .uart_irq_o      (uart_irq),
    .cycle_o
  );

  // ---- The task manager, at 0xF002_0000

  if (RtmN != 0) begin : gen_rtm
    rtm_wishbone #(
      .N         (RtmN),
      .DelayW    (RtmDelayW),
      .DelayCells(RtmDelayCells),
      .Stages    (RtmStages),
      .KeyW      (RtmKeyW),
      .Timed     (RtmTimed),
      .Stamps    (RtmStamps),
      .Releases  (RtmReleases),
      .Interrupts(RtmInterrupts),
      .Many      (RtmMany),
      // (what stands need not be simulated)
      .Gated     (1'b1)
    ) u_rtm (
      .clk_i,
      .rst_ni(~rst_i),
      .cyc_i (bus_req),
      .stb_i (rtm_select),
      .we_i  (bus_we),
      .adr_i (bus_adr[10:0]),
      .sel_i (bus_sel),
      .dat_i (bus_wdata),
      .dat_o (rtm_rdata),
      .ack_o (rtm_ack),
      .irq_o (rtm_irq)
    );
  end else begin : gen_no_rtm
    assign rtm_rdata = '0;
    assign rtm_ack   = 1'b0;
    assign rtm_irq   = 1'b0;
  end

  assign timer_line_o     = timer_irq;
  assign software_line_o  = software_irq;
  assign generator_line_o = generator_irq;

  // A core that asks where nothing lies would wait for ever; the harness ends the run.
  assign error_valid_o   = bus_err;
  assign error_address_o = {bus_adr, 2'b00};

`ifndef SYNTHESIS
  OneAnswer: assert property (@(posedge clk_i) disable iff (rst_i) !(bus_ack & bus_err));
`endif

endmodule

// The harts of the chip: a cluster of VexRiscv cores with coherent data caches, whose
// two buses, instructions and data of all cores, share the chip's.
//
// Which file has the module `harts` decides which cores a chip has: this one, or
// `harts_single.sv`.

module harts #(
  parameter int unsigned Harts = 4
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

  // Each side of the cluster.
  logic        ic_valid, ic_ready, ic_write, ir_valid, ir_ready, ir_last, i_we;
  logic        dc_valid, dc_ready, dc_write, dr_valid, dr_ready, dr_last;
  logic [31:0] ic_address, ic_data, ir_data, i_wdata;
  logic [31:0] dc_address, dc_data, dr_data;
  logic [5:0]  ic_length, dc_length;
  logic [3:0]  ic_mask, dc_mask, ic_hart, ir_hart, dc_hart, dr_hart, i_sel, i_hart;
  logic [63:0] ic_context, ir_context, dc_context, dr_context;

  cluster u_cluster (
    .timer_irq                  (timer_irq_i),
    .software_irq               (software_irq_i),
    .external_irq               (external_irq_i),
    .retired_valid              (retired_valid_o),
    .retired_user               (retired_user_o),
    .retired_pc                 (retired_pc_o),
    .retired_word               (retired_word_o),
    .i_command_valid            (ic_valid),
    .i_command_ready            (ic_ready),
    .i_command_payload_write    (ic_write),
    .i_command_payload_address  (ic_address),
    .i_command_payload_length   (ic_length),
    .i_command_payload_data     (ic_data),
    .i_command_payload_mask     (ic_mask),
    .i_command_payload_hart     (ic_hart),
    .i_command_payload_context  (ic_context),
    .i_response_valid           (ir_valid),
    .i_response_ready           (ir_ready),
    .i_response_payload_last    (ir_last),
    .i_response_payload_data    (ir_data),
    .i_response_payload_hart    (ir_hart),
    .i_response_payload_context (ir_context),
    .d_command_valid            (dc_valid),
    .d_command_ready            (dc_ready),
    .d_command_payload_write    (dc_write),
    .d_command_payload_address  (dc_address),
    .d_command_payload_length   (dc_length),
    .d_command_payload_data     (dc_data),
    .d_command_payload_mask     (dc_mask),
    .d_command_payload_hart     (dc_hart),
    .d_command_payload_context  (dc_context),
    .d_response_valid           (dr_valid),
    .d_response_ready           (dr_ready),
    .d_response_payload_last    (dr_last),
    .d_response_payload_data    (dr_data),
    .d_response_payload_hart    (dr_hart),
    .d_response_payload_context (dr_context),
    .clk                        (clk_i),
    .reset                      (rst_i)
  );

  cluster_port u_instructions (
    .clk_i,
    .rst_i,
    .command_valid_i    (ic_valid),
    .command_ready_o    (ic_ready),
    .command_write_i    (ic_write),
    .command_address_i  (ic_address),
    .command_length_i   (ic_length),
    .command_data_i     (ic_data),
    .command_mask_i     (ic_mask),
    .command_hart_i     (ic_hart),
    .command_context_i  (ic_context),
    .response_valid_o   (ir_valid),
    .response_ready_i   (ir_ready),
    .response_last_o    (ir_last),
    .response_data_o    (ir_data),
    .response_hart_o    (ir_hart),
    .response_context_o (ir_context),
    .granted_i          (i_granted_i),
    .wants_o            (i_wants_o),
    .req_o              (i_req_o),
    .we_o               (i_we),
    .adr_o              (i_adr_o),
    .wdata_o            (i_wdata),
    .sel_o              (i_sel),
    .cti_o              (i_cti_o),
    .hart_o             (i_hart),
    .ack_i              (i_ack_i),
    .rdata_i
  );

  cluster_port u_data (
    .clk_i,
    .rst_i,
    .command_valid_i    (dc_valid),
    .command_ready_o    (dc_ready),
    .command_write_i    (dc_write),
    .command_address_i  (dc_address),
    .command_length_i   (dc_length),
    .command_data_i     (dc_data),
    .command_mask_i     (dc_mask),
    .command_hart_i     (dc_hart),
    .command_context_i  (dc_context),
    .response_valid_o   (dr_valid),
    .response_ready_i   (dr_ready),
    .response_last_o    (dr_last),
    .response_data_o    (dr_data),
    .response_hart_o    (dr_hart),
    .response_context_o (dr_context),
    .granted_i          (d_granted_i),
    .wants_o            (d_wants_o),
    .req_o              (d_req_o),
    .we_o               (d_we_o),
    .adr_o              (d_adr_o),
    .wdata_o            (d_wdata_o),
    .sel_o              (d_sel_o),
    .cti_o              (d_cti_o),
    .hart_o             (d_hart_o),
    .ack_i              (d_ack_i),
    .rdata_i
  );

`ifndef SYNTHESIS
  NoFetchWrites: assert property (@(posedge clk_i) disable iff (rst_i) !(i_req_o & i_we));
`endif

endmodule

// The task manager with a register at each input and output, so that the frequency that synthesis
// tells is that of all of its paths.

module registered #(
  parameter int unsigned N          = 64,
  parameter int unsigned DelayW     = 16,
  parameter int unsigned DelayCells = N,
  parameter int unsigned Stages     = 0,
  parameter int unsigned KeyW       = 0,
  parameter bit          Timed      = 1'b0,
  parameter bit          Stamps     = 1'b0,
  parameter bit          Releases   = 1'b0,
  parameter bit          Interrupts = 1'b0,
  parameter bit          Many       = 1'b0
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        cyc_i,
  input  logic        stb_i,
  input  logic        we_i,
  input  logic [10:0] adr_i,
  input  logic [3:0]  sel_i,
  input  logic [31:0] dat_i,
  output logic [31:0] dat_o,
  output logic        ack_o,
  output logic        irq_o
);

  logic        cyc_q, stb_q, we_q, ack, irq;
  logic [10:0] adr_q;
  logic [3:0]  sel_q;
  logic [31:0] dat_q, dat;

  always_ff @(posedge clk_i) begin
    cyc_q <= cyc_i;
    stb_q <= stb_i;
    we_q  <= we_i;
    adr_q <= adr_i;
    sel_q <= sel_i;
    dat_q <= dat_i;
    dat_o <= dat;
    ack_o <= ack;
    irq_o <= irq;
  end

  rtm_wishbone #(
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
    .clk_i,
    .rst_ni,
    .cyc_i(cyc_q),
    .stb_i(stb_q),
    .we_i (we_q),
    .adr_i(adr_q),
    .sel_i(sel_q),
    .dat_i(dat_q),
    .dat_o(dat),
    .ack_o(ack),
    .irq_o(irq)
  );

endmodule

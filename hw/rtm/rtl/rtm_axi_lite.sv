// The task manager on an AXI4-Lite bus of 32 bits.
//
// One request is carried out at a time; where there are a read and a write, they take turns. One
// more of each kind is accepted while the response to the last has not been taken, and carried
// out when it has.
//
// A request is passed on in the cycle in which it is offered, and its response in that in which
// the task manager finishes, so that a command takes as many cycles as on Wishbone. No input
// decides about a valid, a ready or a response of the same cycle.

module rtm_axi_lite #(
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

  input  logic        awvalid_i,
  output logic        awready_o,
  input  logic [12:0] awaddr_i,
  input  logic [2:0]  awprot_i,

  input  logic        wvalid_i,
  output logic        wready_o,
  input  logic [31:0] wdata_i,
  input  logic [3:0]  wstrb_i,

  output logic        bvalid_o,
  input  logic        bready_i,
  output logic [1:0]  bresp_o,

  input  logic        arvalid_i,
  output logic        arready_o,
  input  logic [12:0] araddr_i,
  input  logic [2:0]  arprot_i,

  output logic        rvalid_o,
  input  logic        rready_i,
  output logic [31:0] rdata_o,
  output logic [1:0]  rresp_o,

`ifdef FORMAL
  // What is held, and whether a request is under way, which, and for the task manager too.
  output logic        aw_held_o,
  output logic        w_held_o,
  output logic        ar_held_o,
  output logic        b_held_o,
  output logic        r_held_o,
  output logic        busy_o,
  output logic        is_write_o,
  output logic        idle_o,
  // The request that the task manager sees.
  output logic        req_o,
  output logic        we_o,
  output logic        ack_o,
  output logic [48:0] request_o,
`endif

  output logic        irq_o
);

  localparam logic [1:0] Okay = 2'b00;

  // ---- Requests: what has been accepted, or is accepted now.

  logic        aw_held_q, w_held_q, ar_held_q;
  logic [10:0] awaddr_q, araddr_q;
  logic [31:0] wdata_q;
  logic [3:0]  wstrb_q;

  logic [10:0] awaddr, araddr;
  assign awaddr = aw_held_q ? awaddr_q : awaddr_i[12:2];
  assign araddr = ar_held_q ? araddr_q : araddr_i[12:2];

  // There is one, and its response has a place.
  logic has_write, has_read;
  logic b_held_q, r_held_q;
  assign has_write = (aw_held_q || awvalid_i) && (w_held_q || wvalid_i) && !b_held_q;
  assign has_read  = (ar_held_q || arvalid_i) && !r_held_q;

  // ---- Which one is carried out.

  logic busy_q, is_write_q;  // (the last one, if none is under way)
  logic req, we, ack;
  assign req = busy_q || has_write || has_read;
  assign we  = busy_q ? is_write_q : has_write && !(has_read && is_write_q);

  logic finishes_write, finishes_read;
  assign finishes_write = ack && is_write_q;
  assign finishes_read  = ack && !is_write_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      busy_q     <= 1'b0;
      is_write_q <= 1'b0;
      aw_held_q  <= 1'b0;
      w_held_q   <= 1'b0;
      ar_held_q  <= 1'b0;
    end else begin
      busy_q <= req && !ack;
      if (req) is_write_q <= we;
      aw_held_q <= (aw_held_q || awvalid_i) && !finishes_write;
      w_held_q  <= (w_held_q || wvalid_i) && !finishes_write;
      ar_held_q <= (ar_held_q || arvalid_i) && !finishes_read;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!aw_held_q) awaddr_q <= awaddr_i[12:2];
    if (!ar_held_q) araddr_q <= araddr_i[12:2];
    if (!w_held_q) begin
      wdata_q <= wdata_i;
      wstrb_q <= wstrb_i;
    end
  end

  assign awready_o = !aw_held_q;
  assign wready_o  = !w_held_q;
  assign arready_o = !ar_held_q;

  logic        unused_busy;
  logic [12:0] addr;
  logic [3:0]  wstrb;
  logic [31:0] wdata, rdata, rdata_q;
  assign addr  = {we ? awaddr : araddr, 2'b00};
  assign wstrb = w_held_q ? wstrb_q : wstrb_i;
  assign wdata = w_held_q ? wdata_q : wdata_i;

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
    .clk_i,
    .clk_ticks_i(clk_i),
    .rst_ni,
    .busy_o (unused_busy),
    .req_i  (req),
    .we_i   (we),
    .addr_i (addr),
    .be_i   (wstrb),
    .wdata_i(wdata),
    .ack_o  (ack),
    .rdata_o(rdata),
`ifdef FORMAL
    .idle_o (idle_o),
`endif
    .irq_o
  );

  // ---- Responses: those of this cycle, or those that have not been taken yet.

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      b_held_q <= 1'b0;
      r_held_q <= 1'b0;
    end else begin
      b_held_q <= bvalid_o && !bready_i;
      r_held_q <= rvalid_o && !rready_i;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!r_held_q) rdata_q <= rdata;
  end

  assign bvalid_o = b_held_q || finishes_write;
  assign bresp_o  = Okay;
  assign rvalid_o = r_held_q || finishes_read;
  assign rdata_o  = r_held_q ? rdata_q : rdata;
  assign rresp_o  = Okay;

`ifdef FORMAL
  assign aw_held_o  = aw_held_q;
  assign w_held_o   = w_held_q;
  assign ar_held_o  = ar_held_q;
  assign b_held_o   = b_held_q;
  assign r_held_o   = r_held_q;
  assign busy_o     = busy_q;
  assign is_write_o = is_write_q;
  assign req_o      = req;
  assign we_o       = we;
  assign ack_o      = ack;
  assign request_o  = {addr, we ? {wstrb, wdata} : 36'b0};
`endif

  logic unused;
  assign unused = ^{awaddr_i[1:0], araddr_i[1:0], awprot_i, arprot_i};

endmodule

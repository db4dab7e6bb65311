// The rules of AXI4-Lite, kept by the task manager on such a bus, whatever its master does that
// keeps them too: a valid stays until its ready, and with it what it is about; there is one
// response to a request, after it, and it comes.

module axi_lite #(
  parameter int unsigned N          = 2,
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
  input logic        clk_i,
  input logic        awvalid_i,
  input logic [12:0] awaddr_i,
  input logic        wvalid_i,
  input logic [31:0] wdata_i,
  input logic [3:0]  wstrb_i,
  input logic        bready_i,
  input logic        arvalid_i,
  input logic [12:0] araddr_i,
  input logic        rready_i
);

  logic rst_n = 1'b0;
  always_ff @(posedge clk_i) rst_n <= 1'b1;

  logic        awready, wready, bvalid, arready, rvalid, irq;
  logic [1:0]  bresp, rresp;
  logic [31:0] rdata;
  logic        aw_held, w_held, ar_held, b_held, r_held, busy, is_write, idle, req, we, ack;
  logic [48:0] request;

  rtm_axi_lite #(
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
    .rst_ni    (rst_n),
    .awvalid_i,
    .awready_o (awready),
    .awaddr_i,
    .awprot_i  (3'b0),
    .wvalid_i,
    .wready_o  (wready),
    .wdata_i,
    .wstrb_i,
    .bvalid_o  (bvalid),
    .bready_i,
    .bresp_o   (bresp),
    .arvalid_i,
    .arready_o (arready),
    .araddr_i,
    .arprot_i  (3'b0),
    .rvalid_o  (rvalid),
    .rready_i,
    .rdata_o   (rdata),
    .rresp_o   (rresp),
    .aw_held_o (aw_held),
    .w_held_o  (w_held),
    .ar_held_o (ar_held),
    .b_held_o  (b_held),
    .r_held_o  (r_held),
    .busy_o    (busy),
    .is_write_o(is_write),
    .idle_o    (idle),
    .req_o     (req),
    .we_o      (we),
    .ack_o     (ack),
    .request_o (request),
    .irq_o     (irq)
  );

  // ---- The cycle before.

  logic        was_aw = 1'b0, was_w = 1'b0, was_ar = 1'b0, was_b = 1'b0, was_r = 1'b0;
  logic        was_req = 1'b0, was_we;
  logic [12:0] was_awaddr, was_araddr;
  logic [31:0] was_wdata, was_rdata;
  logic [3:0]  was_wstrb;
  logic [48:0] was_request;
  always_ff @(posedge clk_i) begin
    was_aw      <= awvalid_i && !awready;
    was_w       <= wvalid_i && !wready;
    was_ar      <= arvalid_i && !arready;
    was_b       <= bvalid && !bready_i;
    was_r       <= rvalid && !rready_i;
    was_req     <= req && !ack;
    was_we      <= we;
    was_awaddr  <= awaddr_i;
    was_araddr  <= araddr_i;
    was_wdata   <= wdata_i;
    was_wstrb   <= wstrb_i;
    was_rdata   <= rdata;
    was_request <= request;
  end

  // ---- What the master keeps to.

  always_comb begin
    if (!rst_n) assume (!awvalid_i && !wvalid_i && !arvalid_i);
    if (was_aw) assume (awvalid_i && awaddr_i == was_awaddr);
    if (was_w)  assume (wvalid_i && wdata_i == was_wdata && wstrb_i == was_wstrb);
    if (was_ar) assume (arvalid_i && araddr_i == was_araddr);
    // no ticks of its own, for which a command can wait
    assume (awaddr_i[12:2] != rtm_pkg::Tick[12:2]);
  end

  // ---- Requests that have been accepted, and have no response yet.

  logic [1:0] aws = '0, ws = '0, ars = '0;
  always_ff @(posedge clk_i) begin
    aws <= aws + 2'(awvalid_i && awready) - 2'(bvalid && bready_i);
    ws  <= ws + 2'(wvalid_i && wready) - 2'(bvalid && bready_i);
    ars <= ars + 2'(arvalid_i && arready) - 2'(rvalid && rready_i);
  end

  // Cycles for which a request has waited that could be carried out.
  logic [3:0] read_waited = '0, write_waited = '0;
  always_ff @(posedge clk_i) begin
    read_waited  <= (ar_held || arvalid_i) && !rvalid ? read_waited + 4'd1 : '0;
    write_waited <= (aw_held || awvalid_i) && (w_held || wvalid_i) && !bvalid ?
                    write_waited + 4'd1 : '0;
  end

  // ---- What is proved.

  always_ff @(posedge clk_i) begin
    if (rst_n) begin
      if (was_b) write_response_stays: assert (bvalid);
      if (was_r) read_response_stays: assert (rvalid && rdata == was_rdata);
      if (bvalid) write_response_has_its_request: assert (aws != '0 && ws != '0);
      if (rvalid) read_response_has_its_request: assert (ars != '0);
      responses_are_okay: assert (bresp == 2'b00 && rresp == 2'b00);
      // (one of the other kind may come before it)
      if (DelayCells == N) begin
        reads_take_eight_cycles_at_most: assert (read_waited < 4'd8);
        writes_take_eight_cycles_at_most: assert (write_waited < 4'd8);
      end
      if (was_req) request_stays: assert (req && we == was_we && request == was_request);
    end
  end

  // Why: no more is accepted than what is held.
  always_ff @(posedge clk_i) begin
    assert (aws == 2'(aw_held) + 2'(b_held));
    assert (ws == 2'(w_held) + 2'(b_held));
    assert (ars == 2'(ar_held) + 2'(r_held));
    assert (busy == !idle);
    if (busy && is_write)  assert (aw_held && w_held && !b_held);
    if (busy && !is_write) assert (ar_held && !r_held);
  end

endmodule

// The I/O registers: decoding, and what is too small for a module of its own.
//
// Every access takes one cycle and concerns a whole register, whatever bytes it
// selects. A read of an address without a register gives 0, a write is ignored, and
// so is one that selects no byte: what is left of a store-conditional that failed.

module io #(
  parameter int unsigned Harts = 1
) (
  input  logic        clk_i,
  input  logic        rst_i,

  input  logic        req_i,
  input  logic        we_i,
  input  logic [27:0] adr_i,     // in bytes
  input  logic [31:0] wdata_i,
  input  logic [3:0]  sel_i,
  input  logic [3:0]  hart_i,    // which asks
  output logic        ack_o,
  output logic [31:0] rdata_o,

  input  logic [31:0] argument_i,
  input  logic        rx_valid_i,
  input  logic [7:0]  rx_data_i,
  output logic        rx_full_o,
  output logic        tx_valid_o,
  output logic [7:0]  tx_data_o,
  output logic        exit_valid_o,
  output logic [31:0] exit_code_o,
  output logic        probe_valid_o,
  output logic [31:0] probe_id_o,
  output logic [3:0]  probe_hart_o,
  output logic [Harts-1:0] timer_irq_o,
  output logic [Harts-1:0] software_irq_o,
  output logic [Harts-1:0] generator_irq_o,
  output logic        uart_irq_o,
  output logic [63:0] cycle_o
);

  localparam logic [27:0] UartData    = 28'h000_0000;
  localparam logic [27:0] Exit        = 28'h000_0004;
  localparam logic [27:0] CycleLow    = 28'h000_0008;
  localparam logic [27:0] CycleHigh   = 28'h000_000C;
  localparam logic [27:0] Generate    = 28'h000_0010;
  localparam logic [27:0] Clear       = 28'h000_0014;
  localparam logic [27:0] Hart        = 28'h000_0018;
  localparam logic [27:0] Probe       = 28'h000_0020;
  localparam logic [27:0] Argument    = 28'h000_0030;
  localparam logic [27:0] Count       = 28'h000_0034;
  localparam logic [27:0] UartStatus  = 28'h000_0040;
  localparam logic [27:0] UartControl = 28'h000_0044;
  localparam logic [11:0] ClintRegion = 12'h001;

  // The serial line and the generators once more, each in a page that protection
  // can grant alone; the line status there is that of a 16550, in byte 5. A hart's
  // generator has two words there; in the block each hart sees its own.
  localparam logic [27:0] UartPage      = 28'h000_1000;
  localparam logic [27:0] UartLine      = 28'h000_1004;
  localparam logic [27:0] GeneratorPage = 28'h000_2000;

  logic [63:0] cycle_q;
  logic [31:0] cycle_high_q;     // latched when the low half is read
  logic        ack_q;
  logic [31:0] rdata_q, rdata_d;
  logic        access, read, write, clint;
  logic [31:0] uart_rdata, uart_status, clint_rdata, rise_rdata;
  logic        uart_data, uart_state, uart_control;
  logic [Harts-1:0]       generate_, clear;
  logic [Harts-1:0][31:0] rise;

  // An access is carried out once, in the cycle before its acknowledge.
  assign access = req_i & ~ack_q;
  assign read   = access & ~we_i;
  assign write  = access & we_i & |sel_i;
  assign clint  = adr_i[27:16] == ClintRegion;

  assign uart_data    = adr_i == UartData || adr_i == UartPage + UartData;
  assign uart_state   = adr_i == UartStatus || adr_i == UartPage + UartStatus;
  assign uart_control = adr_i == UartControl || adr_i == UartPage + UartControl;

  uart u_uart (
    .clk_i,
    .rst_i,
    .rx_valid_i,
    .rx_data_i,
    .rx_full_o,
    .take_i    (read && uart_data),
    .control_i (write && uart_control),
    .wdata_i,
    .data_o    (uart_rdata),
    .status_o  (uart_status),
    .irq_o     (uart_irq_o)
  );

  for (genvar hart = 0; hart < Harts; ++hart) begin : gen_hart
    localparam logic [27:0] Page = GeneratorPage + 28'(8 * hart);
    logic own;

    assign own             = hart_i == 4'(hart);
    assign generate_[hart] = (own && adr_i == Generate) || adr_i == Page;
    assign clear[hart]     = (own && adr_i == Clear) || adr_i == Page + 28'h4;

    interrupt_generator u_interrupt_generator (
      .clk_i,
      .rst_i,
      .cycle_i (cycle_q[31:0]),
      .arm_i   (write && generate_[hart]),
      .delay_i (wdata_i),
      .clear_i (write && clear[hart]),
      .rise_o  (rise[hart]),
      .irq_o   (generator_irq_o[hart])
    );
  end

  clint #(
    .Harts (Harts)
  ) u_clint (
    .clk_i,
    .rst_i,
    .mtime_i        (cycle_q),
    .write_i        (write && clint),
    .adr_i          (adr_i[15:0]),
    .wdata_i,
    .rdata_o        (clint_rdata),
    .timer_irq_o,
    .software_irq_o
  );

  // ---- Reads

  always_comb begin
    rise_rdata = '0;
    for (int unsigned hart = 0; hart < Harts; ++hart)
      if (generate_[hart]) rise_rdata = rise[hart];
  end

  always_comb begin
    unique case (1'b1)
      uart_data:           rdata_d = uart_rdata;
      uart_state:          rdata_d = uart_status;
      |generate_:          rdata_d = rise_rdata;
      adr_i == UartLine:   rdata_d = {16'b0, 7'b011_0000, uart_status[0], 8'b0};
      adr_i == CycleLow:   rdata_d = cycle_q[31:0];
      adr_i == CycleHigh:  rdata_d = cycle_high_q;
      adr_i == Hart:       rdata_d = {28'b0, hart_i};
      adr_i == Argument:   rdata_d = argument_i;
      adr_i == Count:      rdata_d = Harts;
      default:             rdata_d = clint ? clint_rdata : '0;
    endcase
  end

  // ---- Registers

  always_ff @(posedge clk_i) begin
    tx_valid_o    <= 1'b0;
    exit_valid_o  <= 1'b0;
    probe_valid_o <= 1'b0;
    if (rst_i) begin
      cycle_q <= '0;
      ack_q   <= 1'b0;
    end else begin
      cycle_q <= cycle_q + 64'd1;
      ack_q   <= access;
      if (read) rdata_q <= rdata_d;
      if (read && adr_i == CycleLow) cycle_high_q <= cycle_q[63:32];
      if (write && uart_data) begin
        tx_valid_o <= 1'b1;
        tx_data_o  <= wdata_i[7:0];
      end
      if (write && adr_i == Exit) begin
        exit_valid_o <= 1'b1;
        exit_code_o  <= wdata_i;
      end
      if (write && adr_i == Probe) begin
        probe_valid_o <= 1'b1;
        probe_id_o    <= wdata_i;
        probe_hart_o  <= hart_i;
      end
    end
  end

  assign ack_o   = ack_q;
  assign rdata_o = rdata_q;
  assign cycle_o = cycle_q;

endmodule

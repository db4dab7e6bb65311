// Carries what one side of a cluster asks out on the chip's bus, one command after
// the other.
//
// A command is taken when the bus is granted and is on the bus in the same cycle. The
// bus is given back in the cycle of the last acknowledge, so that the other side,
// if it waits, has it next. Words of a response go on as they come; those that the
// cluster does not take at once wait in a queue, and so does the next command then.

module cluster_port #(
  // Words of a line, the most that a command reads.
  localparam int unsigned Words = 8
) (
  input  logic        clk_i,
  input  logic        rst_i,

  input  logic        command_valid_i,
  output logic        command_ready_o,
  input  logic        command_write_i,
  input  logic [31:0] command_address_i,
  input  logic [5:0]  command_length_i,    // bytes less one
  input  logic [31:0] command_data_i,
  input  logic [3:0]  command_mask_i,
  input  logic [3:0]  command_hart_i,
  input  logic [63:0] command_context_i,

  output logic        response_valid_o,
  input  logic        response_ready_i,
  output logic        response_last_o,
  output logic [31:0] response_data_o,
  output logic [3:0]  response_hart_o,
  output logic [63:0] response_context_o,

  input  logic        granted_i,
  output logic        wants_o,
  output logic        req_o,
  output logic        we_o,
  output logic [29:0] adr_o,
  output logic [31:0] wdata_o,
  output logic [3:0]  sel_o,
  output logic [2:0]  cti_o,
  output logic [3:0]  hart_o,
  input  logic        ack_i,
  input  logic [31:0] rdata_i
);

  localparam int unsigned IndexWidth = $clog2(Words);
  localparam logic [2:0] Classic           = 3'b000;
  localparam logic [2:0] IncrementingBurst = 3'b010;
  localparam logic [2:0] EndOfBurst        = 3'b111;

  typedef struct packed {
    logic                  write;
    logic [29:0]           adr;     // of the word that is next
    logic [IndexWidth-1:0] left;    // words that follow it
    logic [31:0]           data;
    logic [3:0]            mask;
    logic [3:0]            hart;
    logic [63:0]           context_;
  } command_t;

  command_t asked, command, command_q;
  logic     busy_q;                 // the command is on the bus
  logic     take, ends;

  logic [31:0]           queue_q [Words];
  logic [IndexWidth-1:0] first_q;
  logic [IndexWidth:0]   waiting_q;
  logic                  last_q;    // the last word is in the queue
  logic                  empty, put, pop;

  // ---- The command: as it is asked, then as it was taken

  assign asked = '{
    write:    command_write_i,
    adr:      command_address_i[31:2],
    left:     command_write_i ? '0 : command_length_i[IndexWidth+1:2],
    data:     command_data_i,
    mask:     command_mask_i,
    hart:     command_hart_i,
    context_: command_context_i
  };
  assign command = busy_q ? command_q : asked;

  assign take            = command_valid_i & ~busy_q & empty & granted_i;
  assign command_ready_o = take;
  assign ends            = ack_i && command_q.left == '0;

  assign wants_o = busy_q ? ~ends : command_valid_i & empty;
  assign req_o   = busy_q | take;
  assign we_o    = command.write;
  assign adr_o   = command.adr;
  assign wdata_o = command.data;
  assign sel_o   = command.mask;
  assign hart_o  = command.hart;

  always_comb begin
    cti_o = EndOfBurst;
    if (command.write)            cti_o = Classic;
    else if (command.left != '0)  cti_o = IncrementingBurst;
  end

  // ---- The response: by the queue, or past it while it is empty

  assign empty = waiting_q == '0;
  assign put   = ack_i & ~(empty & response_ready_i);
  assign pop   = ~empty & response_ready_i;

  assign response_valid_o   = ack_i | ~empty;
  assign response_data_o    = empty ? rdata_i : queue_q[first_q];
  assign response_last_o    = empty ? ends : last_q && waiting_q == 1;
  assign response_hart_o    = command_q.hart;
  assign response_context_o = command_q.context_;

  // ---- Registers

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      busy_q    <= 1'b0;
      first_q   <= '0;
      waiting_q <= '0;
      last_q    <= 1'b0;
    end else begin
      if (take) begin
        busy_q    <= 1'b1;
        command_q <= asked;
      end
      if (ack_i) begin
        command_q.adr  <= command_q.adr + 30'd1;
        command_q.left <= command_q.left - 1'b1;
        if (ends) busy_q <= 1'b0;
      end
      if (put) begin
        queue_q[first_q + waiting_q[IndexWidth-1:0]] <= rdata_i;
        last_q <= ends;
      end
      if (pop) first_q <= first_q + 1'b1;
      waiting_q <= waiting_q + {{IndexWidth{1'b0}}, put} - {{IndexWidth{1'b0}}, pop};
    end
  end

`ifndef SYNTHESIS
  AnswersWhatWasAsked: assert property (@(posedge clk_i) disable iff (rst_i) !(ack_i & ~busy_q));
  LineAtMost: assert property (@(posedge clk_i) disable iff (rst_i)
    !(take && !command_write_i && command_length_i > 6'(4 * Words - 1)));
  WritesAreWords: assert property (@(posedge clk_i) disable iff (rst_i)
    !(take && command_write_i && command_length_i > 6'd3));
  QueueBounded: assert property (@(posedge clk_i) disable iff (rst_i) waiting_q <= Words[IndexWidth:0]);
`endif

endmodule

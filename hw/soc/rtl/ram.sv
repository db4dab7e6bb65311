// RAM from 0x4000_0000, and an error for every address behind which there is none.
//
// Timing is that of a memory that bursts: the first word is acknowledged
// `first_i` cycles after the strobe, each further one of an incrementing burst
// `burst_i` cycles after its predecessor. With one cycle a word the address of
// the next word is taken one ahead, so that a burst has no gaps.

module ram #(
  parameter int unsigned Words = 1 << 20,
  localparam int unsigned IndexWidth = $clog2(Words)
) (
  input  logic        clk_i,
  input  logic        rst_i,
  input  logic [7:0]  first_i,
  input  logic [7:0]  burst_i,

  input  logic        req_i,
  input  logic        we_i,
  input  logic [29:0] adr_i,     // in words
  input  logic [31:0] wdata_i,
  input  logic [3:0]  sel_i,
  input  logic [2:0]  cti_i,
  output logic        ack_o,
  output logic        err_o,
  output logic [31:0] rdata_o
);

  localparam logic [3:0] Region = 4'h4;
  localparam logic [2:0] IncrementingBurst = 3'b010;

  logic [31:0] words_q [Words];

  logic [7:0]  waited_q, waited_d;      // cycles that the word has taken so far
  logic        in_burst_q, in_burst_d;  // the word continues a burst
  logic        ack_q, ack_d, err_q, err_d;
  logic [31:0] rdata_q;

  logic                  there, continues, read;
  logic [7:0]            latency;
  logic [IndexWidth-1:0] index, read_index;

  assign there     = adr_i[29:26] == Region && adr_i[25:IndexWidth] == '0;
  assign continues = cti_i == IncrementingBurst && !we_i;
  assign latency   = in_burst_q ? burst_i : first_i;
  assign index     = adr_i[IndexWidth-1:0];

  // ---- Next state

  always_comb begin
    waited_d   = '0;
    in_burst_d = 1'b0;
    ack_d      = 1'b0;
    err_d      = 1'b0;
    read       = 1'b0;
    read_index = index;
    if (req_i && ack_q) begin
      in_burst_d = continues;
      if (continues && burst_i == 8'd1) begin
        ack_d      = 1'b1;
        read       = 1'b1;
        read_index = index + 1'b1;
      end else if (continues) begin
        waited_d = 8'd1;
      end
    end else if (req_i && !err_q) begin
      in_burst_d = in_burst_q;
      if ({1'b0, waited_q} + 9'd1 >= {1'b0, latency}) begin
        ack_d = there;
        err_d = !there;
        read  = 1'b1;
      end else begin
        waited_d = waited_q + 8'd1;
      end
    end
  end

  // ---- Registers

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      waited_q   <= '0;
      in_burst_q <= 1'b0;
      ack_q      <= 1'b0;
      err_q      <= 1'b0;
    end else begin
      waited_q   <= waited_d;
      in_burst_q <= in_burst_d;
      ack_q      <= ack_d;
      err_q      <= err_d;
      if (read) rdata_q <= words_q[read_index];
      // A word is written once, in the cycle before its acknowledge.
      if (ack_d && we_i) begin
        if (sel_i[0]) words_q[index][7:0]   <= wdata_i[7:0];
        if (sel_i[1]) words_q[index][15:8]  <= wdata_i[15:8];
        if (sel_i[2]) words_q[index][23:16] <= wdata_i[23:16];
        if (sel_i[3]) words_q[index][31:24] <= wdata_i[31:24];
      end
    end
  end

  assign ack_o   = ack_q;
  assign err_o   = err_q;
  assign rdata_o = rdata_q;

`ifndef SYNTHESIS
  // The harness knows the program; words behind it are 0.
  import "DPI-C" function int unsigned program_word(input int unsigned index);

  initial for (int unsigned i = 0; i < Words; ++i) words_q[i] = program_word(i);

  NoWriteInBurst: assert property (@(posedge clk_i) disable iff (rst_i) !(in_burst_q & req_i & we_i));
`endif

endmodule

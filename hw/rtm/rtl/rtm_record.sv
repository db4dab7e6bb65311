// A record: what the task manager knows of a task.
//
// Fields are written by byte. What its delay is after some ticks a delay decrement cell tells,
// which it may share with other records.

module rtm_record #(
  parameter int unsigned DelayW  = 16,
  parameter int unsigned KeyW    = 0,
  // Status bits beyond the four of the reference.
  parameter bit          Timed   = 1'b0,
  parameter bit          Expires = 1'b0,
  parameter bit          Stamps  = 1'b0,
  localparam int unsigned KeyBits = KeyW == 0 ? 1 : KeyW
) (
  input  logic                clk_i,
  input  logic                rst_ni,

  // Bytes of the first and of the second word, and of the key.
  input  logic [3:0]          word_we_i,
  input  logic [3:0]          delay_we_i,
  input  logic [3:0]          key_we_i,
  input  logic [31:0]         wdata_i,

  // Time advances, for this record: what has become of its delay.
  input  logic                advance_i,
  input  logic [DelayW-1:0]   next_delay_i,
  input  logic                runs_out_i,

  // Its event has come, and it is the one that is released.
  input  logic                release_i,
  // That it ran out has been told.
  input  logic                told_i,
  // Now, as a stamp.
  input  logic [KeyBits-1:0]  stamp_i,

  output logic                ready_o,
  output logic                waits_o,
  output logic                expired_o,
  // A delay runs out in this cycle.
  output logic                expires_o,
  output logic [7:0]          status_o,
  output logic [7:0]          priority_o,
  output logic [7:0]          event_o,
  output logic [DelayW-1:0]   delay_o,
  output logic [KeyBits-1:0]  key_o
);

  // Bytes of the first word.
  localparam int unsigned StatusByte   = rtm_pkg::RecordStatus / 8;
  localparam int unsigned PriorityByte = rtm_pkg::RecordPriority / 8;
  localparam int unsigned EventByte    = rtm_pkg::RecordEvent / 8;

  logic              valid_q, delayed_q, event_q, suspended_q, timed_q, expired_q, stamped_q;
  logic [7:0]        priority_q, id_q;
  logic [DelayW-1:0] delay_q;
  logic [KeyBits-1:0] key_q;

  logic runs_out;
  assign runs_out = advance_i && valid_q && delayed_q && runs_out_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_q     <= 1'b0;
      delayed_q   <= 1'b0;
      event_q     <= 1'b0;
      suspended_q <= 1'b0;
    end else if (word_we_i[StatusByte]) begin
      valid_q     <= wdata_i[rtm_pkg::StatusValid];
      delayed_q   <= wdata_i[rtm_pkg::StatusDelayed];
      event_q     <= wdata_i[rtm_pkg::StatusEvent];
      suspended_q <= wdata_i[rtm_pkg::StatusSuspended];
    end else if (runs_out) begin
      delayed_q <= 1'b0;
      if (timed_q) event_q <= 1'b0;
    end else if (release_i) begin
      event_q <= 1'b0;
      if (timed_q) delayed_q <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (word_we_i[PriorityByte]) priority_q <= wdata_i[8*PriorityByte +: 8];
    if (word_we_i[EventByte])    id_q       <= wdata_i[8*EventByte +: 8];
  end

  always_ff @(posedge clk_i) begin
    if (advance_i && valid_q && delayed_q) delay_q <= next_delay_i;
    for (int unsigned b = 0; b < DelayW / 8; b++) begin
      if (delay_we_i[b]) delay_q[8*b +: 8] <= wdata_i[8*b +: 8];
    end
  end

  if (Timed) begin : gen_timed
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni)                     timed_q <= 1'b0;
      else if (word_we_i[StatusByte]) timed_q <= wdata_i[rtm_pkg::StatusTimed];
    end
  end else begin : gen_not_timed
    assign timed_q = 1'b0;
  end

  if (Expires) begin : gen_expires
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni)                     expired_q <= 1'b0;
      else if (word_we_i[StatusByte]) expired_q <= wdata_i[rtm_pkg::StatusExpired];
      else if (runs_out)               expired_q <= 1'b1;
      else if (told_i)                 expired_q <= 1'b0;
    end
  end else begin : gen_not_expires
    logic unused_told;
    assign unused_told = told_i;
    assign expired_q   = 1'b0;
  end

  if (Stamps) begin : gen_stamped
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni)                     stamped_q <= 1'b0;
      else if (word_we_i[StatusByte]) stamped_q <= wdata_i[rtm_pkg::StatusStamped];
    end
  end else begin : gen_not_stamped
    assign stamped_q = 1'b0;
  end

  if (KeyW == 0) begin : gen_no_key
    logic unused_key;
    assign unused_key = ^{key_we_i, stamp_i};
    assign key_q      = '0;
  end else begin : gen_key
    always_ff @(posedge clk_i) begin
      if ((word_we_i[StatusByte] && Stamps && wdata_i[rtm_pkg::StatusStamped]) ||
          (stamped_q && (runs_out || release_i))) key_q <= stamp_i;
      for (int unsigned b = 0; b < KeyW / 8; b++) begin
        if (key_we_i[b]) key_q[8*b +: 8] <= wdata_i[8*b +: 8];
      end
    end
  end

  assign ready_o    = valid_q && !delayed_q && !event_q && !suspended_q;
  assign waits_o    = valid_q && event_q;
  assign expired_o  = valid_q && expired_q;
  assign expires_o  = runs_out;
  assign status_o   = {1'b0, stamped_q, expired_q, timed_q, suspended_q, event_q, delayed_q,
                       valid_q};
  assign priority_o = priority_q;
  assign event_o    = id_q;
  assign delay_o    = delay_q;
  assign key_o      = key_q;

  logic unused_bits;
  assign unused_bits = ^{word_we_i[3], delay_we_i, wdata_i};

endmodule

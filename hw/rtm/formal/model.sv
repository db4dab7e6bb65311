// The task manager beside a model of what software sees: whatever is written and asked, each
// answer is that of the model, in which an answer is found by looking at one record after the
// other.
//
// Proved by induction: between requests the records hold what the model holds, and so each
// answer is right, however long it has been running.

// The first of the records that are meant, found by looking at one after the other.
module model_first #(
  parameter int unsigned N    = 4,
  parameter int unsigned KeyW = 0,
  localparam int unsigned KeyBits = KeyW == 0 ? 1 : KeyW,
  localparam int unsigned IndexW  = $clog2(N)
) (
  input  logic [N-1:0]         meant_i,
  input  logic [N*8-1:0]       urgencies_i,
  input  logic [N*KeyBits-1:0] keys_i,
  output logic                 found_o,
  output logic [IndexW-1:0]    first_o
);

  // (what is the first of those before each)
  logic [N:0]         any;
  logic [IndexW-1:0]  best         [N+1];
  logic [7:0]         best_urgency [N+1];
  logic [KeyBits-1:0] best_key     [N+1];
  assign any[0]          = 1'b0;
  assign best[0]         = '0;
  assign best_urgency[0] = '0;
  assign best_key[0]     = '0;
  for (genvar i = 0; i < N; i++) begin : gen_best
    logic [7:0]         urgency;
    logic [KeyBits-1:0] key, apart;
    logic               wins;
    assign urgency = urgencies_i[8*i +: 8];
    assign key     = keys_i[KeyBits*i +: KeyBits];
    assign apart   = key - best_key[i];
    assign wins    = meant_i[i] && (!any[i] || urgency < best_urgency[i] ||
                                    (KeyW != 0 && urgency == best_urgency[i] && apart[KeyBits-1]));
    assign any[i+1]          = any[i] || meant_i[i];
    assign best[i+1]         = wins ? IndexW'(i) : best[i];
    assign best_urgency[i+1] = wins ? urgency : best_urgency[i];
    assign best_key[i+1]     = wins ? key : best_key[i];
  end
  assign found_o = any[N];
  assign first_o = best[N];

endmodule

module model #(
  parameter int unsigned N          = 4,
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
  input logic        req_i,
  input logic        we_i,
  input logic [12:0] addr_i,
  input logic [3:0]  be_i,
  input logic [31:0] wdata_i
);

  localparam int unsigned KeyBits = KeyW == 0 ? 1 : KeyW;
  localparam int unsigned IndexW  = $clog2(N);

  logic        rst_n = 1'b0;
  logic        ack, irq;
  logic [31:0] rdata;

  logic                 idle;
  logic [N*8-1:0]       statuses, priorities, events;
  logic [N*DelayW-1:0]  delays;
  logic [N*KeyBits-1:0] keys;
  logic [N-1:0]         own_seen;
  logic [31:0]          own_arrivals;
  logic [DelayW-1:0]    counted;
  logic                 takes, writes, busy;
  logic [31:0]          own_period, own_phase;
  logic [1:0]           own_cause, own_enable;
  logic                 own_known_found;
  logic [IndexW-1:0]    own_known;

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
    .rst_ni (rst_n),
    .busy_o (busy),
    .req_i,
    .we_i,
    .addr_i,
    .be_i,
    .wdata_i,
    .ack_o  (ack),
    .rdata_o(rdata),
    .idle_o      (idle),
    .statuses_o  (statuses),
    .priorities_o(priorities),
    .events_o    (events),
    .delays_o    (delays),
    .keys_o      (keys),
    .seen_o      (own_seen),
    .arrivals_o  (own_arrivals),
    .period_o    (own_period),
    .phase_o     (own_phase),
    .cause_o     (own_cause),
    .enable_o    (own_enable),
    .known_found_o(own_known_found),
    .known_first_o(own_known),
    .counted_o   (counted),
    .takes_o     (takes),
    .writes_o    (writes),
    .irq_o  (irq)
  );

  // ---- Requests: each stays until it is acknowledged.

  logic        was_req = 1'b0, was_we, was_ack = 1'b0;
  logic [12:0] was_addr;
  logic [3:0]  was_be;
  logic [31:0] was_wdata;
  always_ff @(posedge clk_i) begin
    rst_n     <= 1'b1;
    was_req   <= req_i;
    was_we    <= we_i;
    was_addr  <= addr_i;
    was_be    <= be_i;
    was_wdata <= wdata_i;
    was_ack   <= ack;
  end
  always_comb begin
    assume (addr_i[1:0] == 2'b00);
    if (!rst_n) assume (!req_i);
    if (was_req && !was_ack) begin
      assume (req_i && we_i == was_we && addr_i == was_addr && be_i == was_be &&
              wdata_i == was_wdata);
    end
  end

  // ---- The model: what software has written, and what has become of it.

  logic [7:0]         status   [N];
  logic [7:0]         urgency  [N];
  logic [7:0]         id       [N];
  logic [DelayW-1:0]  delay    [N];
  logic [KeyBits-1:0] key      [N];
  logic [N-1:0]       has_priority = '0, has_id = '0, has_key = '0;
  logic [DelayW/8-1:0] has_delay [N];
  logic [N-1:0]       seen = '0;
  logic [31:0]        arrivals = '0;
  logic               ran_out  = 1'b0;
  logic [1:0]         enabled  = '0;

  function automatic logic is_ready(input logic [7:0] bits);
    is_ready = bits[3:0] == 4'b0001;
  endfunction

  // Who is meant by a question, and the first of them.
  logic [N-1:0] meant;
  logic         found;
  logic [IndexW-1:0] first;
  always_comb begin
    for (int unsigned i = 0; i < N; i++) begin
      meant[i] = is_ready(status[i]);
      if (addr_i[12:10] == rtm_pkg::Waiter[12:10] || addr_i[12:10] == rtm_pkg::Release[12:10]) begin
        meant[i] = status[i][rtm_pkg::StatusValid] && status[i][rtm_pkg::StatusEvent] &&
                   id[i] == addr_i[9:2];
      end else if (addr_i == rtm_pkg::Expired) begin
        meant[i] = status[i][rtm_pkg::StatusValid] && status[i][rtm_pkg::StatusExpired];
      end else if (addr_i == rtm_pkg::Next) begin
        meant[i] = is_ready(status[i]) && !seen[i];
      end
    end
  end

  logic [N*8-1:0]       urgencies;
  logic [N*KeyBits-1:0] all_keys;
  for (genvar i = 0; i < N; i++) begin : gen_all
    assign urgencies[8*i +: 8]            = urgency[i];
    assign all_keys[KeyBits*i +: KeyBits] = key[i];
  end
  model_first #(
    .N   (N),
    .KeyW(KeyW)
  ) u_first (
    .meant_i    (meant),
    .urgencies_i(urgencies),
    .keys_i     (all_keys),
    .found_o    (found),
    .first_o    (first)
  );

  logic is_question, is_record, is_key;
  logic [IndexW-1:0] record, key_record;
  assign is_question = addr_i == rtm_pkg::Top || addr_i[12:10] == rtm_pkg::Waiter[12:10] ||
                       (Releases && addr_i[12:10] == rtm_pkg::Release[12:10]) ||
                       (Interrupts && addr_i == rtm_pkg::Expired) ||
                       (Many && addr_i == rtm_pkg::Next);
  assign is_record  = addr_i < 13'(8 * N);
  assign is_key     = KeyW != 0 && addr_i >= rtm_pkg::Keys && addr_i < rtm_pkg::Keys + 13'(4 * N);
  assign record     = addr_i[3 +: IndexW];
  assign key_record = addr_i[2 +: IndexW];

  localparam logic [7:0] Kept = 8'h0F | (Timed ? 8'h10 : 8'h00) | (Interrupts ? 8'h20 : 8'h00) |
                                (Stamps ? 8'h40 : 8'h00);
  localparam int unsigned Groups = N / DelayCells;

  // ---- Ticks that it counts itself, and takes when it likes.

  logic [31:0]       period = '0, phase = '0;
  logic [DelayW-1:0] due = '0;
  logic              is_tick;
  assign is_tick = period != '0 && phase == '0;
  always_ff @(posedge clk_i) begin
    if (Interrupts && writes && addr_i == rtm_pkg::Tick) begin
      period <= wdata_i;
      phase  <= wdata_i - 32'd1;
    end else if (period != '0) begin
      phase <= is_tick ? period - 32'd1 : phase - 32'd1;
    end
    due <= (takes ? '0 : due) + DelayW'(is_tick);
  end

  // Time advances, by a command or so.
  logic              advances;
  logic [DelayW-1:0] ticks;
  assign advances = takes || (req_i && ack && we_i && addr_i == rtm_pkg::Advance && be_i != '0);
  assign ticks    = takes ? due : wdata_i[DelayW-1:0];

  always_ff @(posedge clk_i) begin
    if (!rst_n) begin
      for (int unsigned i = 0; i < N; i++) begin
        status[i]    <= '0;
        has_delay[i] <= '0;
      end
    end else if (advances) begin
      for (int unsigned i = 0; i < N; i++) begin
        if (status[i][rtm_pkg::StatusValid] && status[i][rtm_pkg::StatusDelayed]) begin
          if (delay[i] <= ticks) begin
            delay[i]                          <= '0;
            status[i][rtm_pkg::StatusDelayed] <= 1'b0;
            if (status[i][rtm_pkg::StatusTimed]) status[i][rtm_pkg::StatusEvent] <= 1'b0;
            if (Interrupts) begin
              status[i][rtm_pkg::StatusExpired] <= 1'b1;
              ran_out                           <= 1'b1;
            end
            if (status[i][rtm_pkg::StatusStamped]) key[i] <= KeyBits'(arrivals + 32'(i / DelayCells));
          end else begin
            delay[i] <= delay[i] - ticks;
          end
        end
      end
    end else if (req_i && ack && we_i && is_record) begin
      if (!addr_i[2]) begin
        if (be_i[0]) begin
          status[record] <= wdata_i[7:0] & Kept;
          if (Stamps && wdata_i[rtm_pkg::StatusStamped]) begin
            key[record]     <= KeyBits'(arrivals);
            has_key[record] <= 1'b1;
          end
        end
        if (be_i[1]) begin
          urgency[record]      <= wdata_i[15:8];
          has_priority[record] <= 1'b1;
        end
        if (be_i[2]) begin
          id[record]     <= wdata_i[23:16];
          has_id[record] <= 1'b1;
        end
      end else begin
        for (int unsigned b = 0; b < DelayW / 8; b++) begin
          if (be_i[b]) begin
            delay[record][8*b +: 8] <= wdata_i[8*b +: 8];
            has_delay[record][b]    <= 1'b1;
          end
        end
      end
    end else if (req_i && ack && we_i && is_key) begin
      for (int unsigned b = 0; b < KeyW / 8; b++) begin
        if (be_i[b]) key[key_record][8*b +: 8] <= wdata_i[8*b +: 8];
      end
      if (&be_i) has_key[key_record] <= 1'b1;
    end else if (req_i && ack && we_i && Many && addr_i == rtm_pkg::Next && be_i != '0) begin
      seen <= '0;
    end else if (req_i && ack && we_i && Interrupts && be_i[0] && addr_i == rtm_pkg::Cause) begin
      if (wdata_i[rtm_pkg::CauseDelay]) ran_out <= 1'b0;
    end else if (req_i && ack && we_i && Interrupts && be_i[0] && addr_i == rtm_pkg::Enable) begin
      enabled <= wdata_i[1:0];
    end else if (req_i && ack && !we_i && is_question && found) begin
      if (Releases && addr_i[12:10] == rtm_pkg::Release[12:10]) begin
        if (status[first][rtm_pkg::StatusStamped]) key[first] <= KeyBits'(arrivals);
        status[first][rtm_pkg::StatusEvent] <= 1'b0;
        if (status[first][rtm_pkg::StatusTimed]) status[first][rtm_pkg::StatusDelayed] <= 1'b0;
      end
      if (Interrupts && addr_i == rtm_pkg::Expired) status[first][rtm_pkg::StatusExpired] <= 1'b0;
      if (Many && addr_i == rtm_pkg::Next) seen[first] <= 1'b1;
    end
  end

  // (each write, answer and group of records that time has advanced for is an arrival)
  always_ff @(posedge clk_i) begin
    if (Stamps) begin
      if (advances)                                      arrivals <= arrivals + 32'(Groups);
      else if (req_i && ack && we_i && be_i != '0)       arrivals <= arrivals + 32'd1;
      else if (req_i && ack && !we_i && is_question)     arrivals <= arrivals + 32'd1;
    end
  end

  // ---- Whether the top is another than that which has been told: looked at when nothing has been
  // going on for so long, and known from the next cycle on.

  localparam logic [2:0] Quiet = 3'(Stages + 2);
  logic [2:0]        quiet = '0;
  logic              top_found, known_found = 1'b0, top_changed = 1'b0, was_top_changed = 1'b0;
  logic [IndexW-1:0] top, known = '0;
  logic [N-1:0]      ready;
  // For how long the clock has not been needed.
  localparam logic [2:0] Still = 3'(Stages + 3);
  logic [2:0]        still = '0;
  for (genvar i = 0; i < N; i++) begin : gen_ready
    assign ready[i] = is_ready(status[i]);
  end
  model_first #(
    .N   (N),
    .KeyW(KeyW)
  ) u_top (
    .meant_i    (ready),
    .urgencies_i(urgencies),
    .keys_i     (all_keys),
    .found_o    (top_found),
    .first_o    (top)
  );
  always_ff @(posedge clk_i) begin
    was_top_changed <= top_changed;
    if (!rst_n || req_i || busy) still <= '0;
    else if (still != Still)     still <= still + 3'd1;
    if (!rst_n || !idle)     quiet <= '0;
    else if (quiet != Quiet) quiet <= quiet + 3'd1;
    if (req_i && ack && !we_i && addr_i == rtm_pkg::Top) begin
      known_found <= top_found;
      known       <= top;
      top_changed <= 1'b0;
    end else if (idle && quiet == Quiet) begin
      top_changed <= top_found != known_found || (top_found && top != known);
    end
  end

  // ---- What software keeps to: a valid record has its fields.

  always_comb begin
    if (req_i && we_i && is_record && !addr_i[2] && be_i[0] && wdata_i[0]) begin
      assume (has_priority[record] || be_i[1]);
      assume (has_id[record] || be_i[2]);
      assume (&has_delay[record]);
      assume (KeyW == 0 || has_key[record] || (Stamps && wdata_i[rtm_pkg::StatusStamped]));
    end
  end

  // ---- What is proved.

  logic [3:0] waited = '0;
  always_ff @(posedge clk_i) waited <= req_i && !ack ? waited + 4'd1 : '0;

  always_ff @(posedge clk_i) begin
    if (rst_n && req_i && ack && !we_i) begin
      if (is_question) begin
        answers_whether_there_is_one: assert (rdata[rtm_pkg::AnswerNone] == !found);
        answers_the_first: assert (!found || rdata[30:0] == 31'(first));
      end
      if (is_record && !addr_i[2]) begin
        reads_status: assert (rdata[7:0] == status[record]);
        if (has_priority[record]) reads_priority: assert (rdata[15:8] == urgency[record]);
        if (has_id[record])       reads_event: assert (rdata[23:16] == id[record]);
      end
      if (is_record && addr_i[2] && &has_delay[record]) begin
        reads_delay: assert (rdata == 32'(delay[record]));
      end
      if (is_key && has_key[key_record]) begin
        reads_key: assert (rdata == 32'(key[key_record]));
      end
    end
    if (rst_n && req_i && ack && !we_i && Interrupts) begin
      if (addr_i == rtm_pkg::Cause) begin
        reads_delay_cause: assert (rdata[rtm_pkg::CauseDelay] == ran_out);
        // (as it was when the request came)
        reads_top_cause: assert (rdata[rtm_pkg::CauseTop] == was_top_changed);
      end
      if (addr_i == rtm_pkg::Enable) reads_enable: assert (rdata == 32'(enabled));
      if (addr_i == rtm_pkg::Tick)   reads_tick: assert (rdata == period);
    end
    if (rst_n && idle && Interrupts) begin
      assert (own_cause[rtm_pkg::CauseDelay] == ran_out && own_enable == enabled);
      follows_the_top: assert (own_cause[rtm_pkg::CauseTop] == top_changed);
      knows_what_was_told: assert (own_known_found == known_found &&
                                   (!known_found || own_known == known));
      interrupts: assert (irq == |(own_cause & enabled));
      if (due != '0 && !req_i) takes_ticks_at_once: assert (takes);
    end
    if (Interrupts) counts_each_tick: assert (counted == due && own_period == period);
    if (Interrupts && period != '0) assert (own_phase == phase);
    keeps_few_ticks: assert (due < 8);
    assert (quiet <= Quiet);
    assert (still <= Still && (quiet >= still || quiet == Quiet));
    if (rst_n && still == Still && Interrupts) begin
      settles_before_the_clock_stands: assert (top_changed == (top_found != known_found ||
                                                               (top_found && top != known)));
    end
    if (takes) takes_between_requests: assert (idle && due != '0);
    // (acknowledged in the cycle after so many; ticks go before a request once)
    if (DelayCells == N) begin
      takes_four_cycles_at_most: assert (waited < (Interrupts ? 4'd6 : 4'd4));
    end
    nobody_else_is_acknowledged: assert (!ack || req_i);
  end

  // Between requests both hold the same.
  for (genvar i = 0; i < N; i++) begin : gen_same
    always_ff @(posedge clk_i) begin
      if (rst_n && idle) begin
        assert (statuses[8*i +: 8] == status[i]);
        if (has_priority[i]) assert (priorities[8*i +: 8] == urgency[i]);
        if (has_id[i])       assert (events[8*i +: 8] == id[i]);
        for (int unsigned b = 0; b < DelayW / 8; b++) begin
          if (has_delay[i][b]) begin
            assert (delays[DelayW*i+8*b +: 8] == delay[i][8*b +: 8]);
          end
        end
        if (has_key[i] && KeyW != 0) assert (keys[KeyBits*i +: KeyBits] == key[i]);
        if (Stamps)                  assert (own_arrivals == arrivals);
        if (Many)                    assert (own_seen[i] == seen[i]);
        // software keeps to this
        assert (!status[i][rtm_pkg::StatusValid] ||
                                  (has_priority[i] && has_id[i] && &has_delay[i] &&
                                   (KeyW == 0 || has_key[i])));
      end
    end
  end

endmodule

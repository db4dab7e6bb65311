// The task manager: records of tasks, what is the first of them in one of three senses, and
// time.
//
// A request stays until it is acknowledged, for one cycle; `rdata_o` holds then. A field is
// written or read in 2 cycles and a question answered in 3; with registers in the comparator tree
// in 3 and 4. Time advances in 3 cycles, or in as many more as records share a delay decrement
// cell.
//
// All but the count of ticks may stand still while nothing is under way: `clk_i` is needed while
// there is a request or `busy_o` is set, and for `Stages` + 3 cycles after.
//
// The comparator tree serves all questions: which record is ready, waits for an event, or has
// run out, and is the first of those. While nobody asks, it watches which one is ready.

module rtm #(
  // Records: a power of two from 16 to 256.
  parameter int unsigned N          = 64,
  // Bits of a delay: 16 or 32.
  parameter int unsigned DelayW     = 16,
  // Delay decrement cells: a power of two, N at most.
  parameter int unsigned DelayCells = N,
  // Registers in the comparator tree: 0 to 2, and fewer than it has levels, of which each finds
  // the first of four.
  parameter int unsigned Stages     = 0,
  // Bits of a serial key that orders records of one priority: 0 or 32.
  parameter int unsigned KeyW       = 0,
  // Records can have a delay and wait for an event at once.
  parameter bit          Timed      = 1'b0,
  // A record's key can be a stamp of its arrival, so that equals come in their order.
  parameter bit          Stamps     = 1'b0,
  // Releases the first that waits for an event in one command.
  parameter bit          Releases   = 1'b0,
  // Tells which delays have run out, counts ticks itself, and interrupts.
  parameter bit          Interrupts = 1'b0,
  // Tells the ready records one after the other.
  parameter bit          Many       = 1'b0
) (
  input  logic        clk_i,
  // The same, and it never stands.
  input  logic        clk_ticks_i,
  input  logic        rst_ni,

  output logic        busy_o,

  input  logic        req_i,
  input  logic        we_i,
  input  logic [12:0] addr_i,  // of a word: the two low bits are 0
  input  logic [3:0]  be_i,
  input  logic [31:0] wdata_i,
  output logic        ack_o,
  output logic [31:0] rdata_o,

`ifdef FORMAL
  // What the records hold, while no request is under way.
  output logic                                 idle_o,
  output logic [N*8-1:0]                       statuses_o,
  output logic [N*8-1:0]                       priorities_o,
  output logic [N*8-1:0]                       events_o,
  output logic [N*DelayW-1:0]                  delays_o,
  output logic [N*(KeyW == 0 ? 1 : KeyW)-1:0]  keys_o,
  output logic [N-1:0]                         seen_o,
  output logic [31:0]                          arrivals_o,
  output logic [31:0]                          period_o,
  output logic [31:0]                          phase_o,
  output logic [1:0]                           cause_o,
  output logic [1:0]                           enable_o,
  // What software knows to be the top.
  output logic                                 known_found_o,
  output logic [$clog2(N)-1:0]                 known_first_o,
  // Ticks that it has counted itself; it takes them to advance time; a register is written.
  output logic [DelayW-1:0]                    counted_o,
  output logic                                 takes_o,
  output logic                                 writes_o,
`endif

  output logic        irq_o
);

  localparam int unsigned IndexW  = $clog2(N);
  localparam int unsigned KeyBits = KeyW == 0 ? 1 : KeyW;
  localparam int unsigned Groups  = N / DelayCells;
  localparam int unsigned GroupW  = Groups == 1 ? 1 : $clog2(Groups);
  // Bits for the ticks that can come while a request is under way, or time advances.
  localparam int unsigned CountW  = $clog2(Groups) + 4;
  // With two registers in the tree the answer is not registered once more.
  localparam bit          IsDirect = Stages == 2;
  // Cycles for which an answer is waited for.
  localparam int unsigned Waits    = Stages == 0 ? 0 : 1;
  // Which record is meant is registered.
  localparam bit          Selects  = Stages != 0;

  // (proofs have fewer records than 16)
  if (N < 2 || N > 256 || 2 ** $clog2(N) != N) begin : gen_check_n
    $error("N is a power of two, 256 at most");
  end
  if (DelayW != 16 && DelayW != 32) begin : gen_check_delay
    $error("DelayW is 16 or 32");
  end
  if (DelayCells < 1 || DelayCells > N || 2 ** $clog2(DelayCells) != DelayCells)
  begin : gen_check_cells
    $error("DelayCells is a power of two, N at most");
  end
  if (Stages > 2 || 4 ** Stages >= N) begin : gen_check_stages
    $error("Stages is 2 at most, and fewer than there are levels in the comparator tree");
  end
  if (KeyW != 0 && KeyW != 32) begin : gen_check_key
    $error("KeyW is 0 or 32");
  end
  if (Stamps && KeyW == 0) begin : gen_check_stamps
    $error("Stamps need keys: KeyW is 32");
  end

  // ---- What is asked for.

  // (records and keys beyond the last are not there)
  logic is_record, is_key, is_waiter, is_release;
  logic [IndexW-1:0] record, key_record;
  assign is_record  = addr_i[12:11] == 2'b00 && (N == 256 || addr_i[10:3] < 8'(N));
  assign is_waiter  = addr_i[12:10] == rtm_pkg::Waiter[12:10];
  assign is_release = Releases && addr_i[12:10] == rtm_pkg::Release[12:10];
  assign is_key     = KeyW != 0 && addr_i[12:10] == rtm_pkg::Keys[12:10] &&
                      (N == 256 || addr_i[9:2] < 8'(N));
  assign record     = addr_i[3 +: IndexW];
  assign key_record = addr_i[2 +: IndexW];

  logic is_top, is_advance, is_expired, is_next, is_cause, is_enable, is_tick, is_config;
  assign is_top     = addr_i == rtm_pkg::Top;
  assign is_advance = addr_i == rtm_pkg::Advance;
  assign is_expired = Interrupts && addr_i == rtm_pkg::Expired;
  assign is_next    = Many && addr_i == rtm_pkg::Next;
  assign is_cause   = Interrupts && addr_i == rtm_pkg::Cause;
  assign is_enable  = Interrupts && addr_i == rtm_pkg::Enable;
  assign is_tick    = Interrupts && addr_i == rtm_pkg::Tick;
  assign is_config  = addr_i == rtm_pkg::Config;

  logic is_question;
  assign is_question = is_top || is_expired || is_next || is_waiter || is_release;

  // ---- The course of a request.

  typedef enum logic [2:0] {
    Idle,
    Ask,
    Count,
    Select,
    Done
  } state_e;

  state_e state_q, state_d;
  logic [1:0] left_q, left_d;
  logic [GroupW-1:0] group_q, group_d;

  // Time advances by this much, one group of records after the other.
  logic              advancing;
  logic [DelayW-1:0] ticks_q;
  // Ticks that have been counted and that no record knows of yet.
  logic              has_ticks;
  logic [CountW-1:0] counted;
  logic              takes_counted;
  // The answer stands at the end of the tree.
  logic              is_answered;
  // A register is written in this cycle, or a field where that is not registered first.
  logic              writes;
  // What has been counted goes, or went, before a request.
  logic              counts_q, counts_d;

  always_comb begin
    state_d       = state_q;
    left_d        = left_q;
    group_d       = group_q;
    counts_d      = counts_q;
    is_answered   = 1'b0;
    takes_counted = 1'b0;
    writes        = 1'b0;

    unique case (state_q)
      Idle: begin
        // (a request waits for ticks once, however fast they come)
        if (has_ticks && !(req_i && counts_q)) begin
          takes_counted = 1'b1;
          counts_d      = 1'b1;
          state_d       = Count;
        end else if (req_i) begin
          counts_d = 1'b0;
          if (we_i && is_advance && be_i != '0) begin
            state_d = Count;
          end else if (!we_i && is_question) begin
            left_d  = 2'(Waits);
            state_d = Ask;
          end else if (Selects && (is_record || is_key)) begin
            state_d = Select;
          end else begin
            writes  = we_i && be_i != '0;
            state_d = Done;
          end
        end
      end
      Select: state_d = Done;
      Ask: begin
        left_d = left_q - 2'd1;
        if (left_q == '0) begin
          is_answered = !IsDirect;
          left_d      = '0;
          state_d     = Done;
        end
      end
      Count: begin
        group_d = group_q + GroupW'(1);
        if (group_q == GroupW'(Groups - 1)) begin
          group_d = '0;
          state_d = counts_q ? Idle : Done;
        end
      end
      Done: begin
        is_answered = IsDirect && is_question && !we_i;
        state_d     = Idle;
      end
      default: state_d = Idle;
    endcase
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q  <= Idle;
      left_q   <= '0;
      group_q  <= '0;
      counts_q <= 1'b0;
    end else begin
      state_q  <= state_d;
      left_q   <= left_d;
      group_q  <= group_d;
      counts_q <= counts_d;
    end
  end

  always_ff @(posedge clk_i) begin
    if (state_q == Idle) ticks_q <= takes_counted ? DelayW'(counted) : wdata_i[DelayW-1:0];
  end

  assign ack_o     = state_q == Done;
  assign advancing = state_q == Count;

  // ---- Records.

  logic [N-1:0]         is_ready, is_waiting, has_expired, expires;
  logic [N*8-1:0]       priorities;
  logic [N*8-1:0]       statuses, ids;
  logic [N*DelayW-1:0]  delays, next_delays;
  logic [N*KeyBits-1:0] keys;
  logic [N-1:0]         runs_out, is_moving, is_first;

  logic [31:0] period;
  logic [1:0]  cause, enable;
  logic [31:0] arrivals_q;
  logic [N-1:0] seen_q;
  logic        found;
  logic [IndexW-1:0] first;

  // The record that is meant, if any, and bytes of its words that are written; with `Selects` both
  // are registered, because all records wait for them.
  logic [N-1:0] own, own_d;
  logic [3:0]   word_we, delay_we, key_we, word_we_d, delay_we_d, key_we_d;
  logic         is_in_keys, is_written;
  logic         writes_field;
  assign is_in_keys = KeyW != 0 && addr_i[12];
  for (genvar i = 0; i < N; i++) begin : gen_own
    assign own_d[i] = is_key ? key_record == IndexW'(i)
                             : is_record && record == IndexW'(i);
  end
  // (elsewhere no record is meant: these bits suffice)
  assign word_we_d  = is_written && !is_in_keys && !addr_i[2] ? be_i : 4'b0;
  assign delay_we_d = is_written && !is_in_keys && addr_i[2] ? be_i : 4'b0;
  assign key_we_d   = is_written && is_in_keys ? be_i : 4'b0;
  if (Selects) begin : gen_selected
    logic [N-1:0] own_q;
    logic [3:0]   word_we_q, delay_we_q, key_we_q;
    always_ff @(posedge clk_i) begin
      own_q      <= own_d;
      word_we_q  <= word_we_d;
      delay_we_q <= delay_we_d;
      key_we_q   <= key_we_d;
    end
    assign is_written   = state_q == Idle && req_i && we_i && !takes_counted;
    assign own          = own_q;
    assign word_we      = word_we_q;
    assign delay_we     = delay_we_q;
    assign key_we       = key_we_q;
    assign writes_field = state_q == Select && we_i && be_i != '0;
  end else begin : gen_decoded
    assign is_written   = writes;
    assign own          = own_d;
    assign word_we      = word_we_d;
    assign delay_we     = delay_we_d;
    assign key_we       = key_we_d;
    assign writes_field = writes;
  end

  for (genvar i = 0; i < N; i++) begin : gen_record
    assign is_moving[i] = advancing && group_q == GroupW'(i / DelayCells);
    assign is_first[i]  = is_answered && found && first == IndexW'(i);

    rtm_record #(
      .DelayW (DelayW),
      .KeyW   (KeyW),
      .Timed  (Timed),
      .Expires(Interrupts),
      .Stamps (Stamps)
    ) u_record (
      .clk_i,
      .rst_ni,
      .word_we_i   (own[i] ? word_we : 4'b0),
      .delay_we_i  (own[i] ? delay_we : 4'b0),
      .key_we_i    (own[i] ? key_we : 4'b0),
      .wdata_i,
      .advance_i   (is_moving[i]),
      .next_delay_i(next_delays[i*DelayW +: DelayW]),
      .runs_out_i  (runs_out[i]),
      .release_i   (is_first[i] && is_release),
      .told_i      (is_first[i] && is_expired),
      .stamp_i     (KeyBits'(arrivals_q)),
      .ready_o     (is_ready[i]),
      .waits_o     (is_waiting[i]),
      .expired_o   (has_expired[i]),
      .expires_o   (expires[i]),
      .status_o    (statuses[i*8 +: 8]),
      .priority_o  (priorities[i*8 +: 8]),
      .event_o     (ids[i*8 +: 8]),
      .delay_o     (delays[i*DelayW +: DelayW]),
      .key_o       (keys[i*KeyBits +: KeyBits])
    );
  end

  // ---- Delay decrement cells, each for one record of a group.

  for (genvar c = 0; c < DelayCells; c++) begin : gen_decrement
    logic [DelayW-1:0] delay, next_delay;
    logic              out;
    if (Groups == 1) begin : gen_own
      assign delay = delays[c*DelayW +: DelayW];
    end else begin : gen_shared
      logic [Groups*DelayW-1:0] choices;
      for (genvar g = 0; g < Groups; g++) begin : gen_choice
        assign choices[g*DelayW +: DelayW] = delays[(g*DelayCells+c)*DelayW +: DelayW];
      end
      assign delay = choices[group_q*DelayW +: DelayW];
    end
    rtm_decrement #(.DelayW(DelayW)) u_decrement (
      .delay_i   (delay),
      .ticks_i   (ticks_q),
      .delay_o   (next_delay),
      .runs_out_o(out)
    );
    for (genvar g = 0; g < Groups; g++) begin : gen_result
      assign next_delays[(g*DelayCells+c)*DelayW +: DelayW] = next_delay;
      assign runs_out[g*DelayCells+c]                       = out;
    end
  end

  // ---- The first of them.

  // (without a request that of `addr_i` is not looked at)
  logic watches;
  assign watches = Interrupts && !req_i;
  logic [N-1:0] candidate;
  for (genvar i = 0; i < N; i++) begin : gen_candidate
    always_comb begin
      if (watches)                      candidate[i] = is_ready[i];
      else if (is_waiter || is_release) candidate[i] = is_waiting[i] &&
                                                         ids[i*8 +: 8] == addr_i[9:2];
      else if (is_expired)              candidate[i] = has_expired[i];
      else if (is_next)                 candidate[i] = is_ready[i] && !seen_q[i];
      else                              candidate[i] = is_ready[i];
    end
  end

  rtm_tree #(
    .N     (N),
    .KeyW  (KeyW),
    .Stages(Stages)
  ) u_tree (
    .clk_i,
    .candidate_i(candidate),
    .priority_i (priorities),
    .key_i      (keys),
    .found_o    (found),
    .index_o    (first)
  );

  // What has been answered: with two registers in the tree what stands at its end, else a
  // register of its own.
  logic              answers_found;
  logic [IndexW-1:0] answers_first;
  if (IsDirect) begin : gen_direct
    assign answers_found = found;
    assign answers_first = first;
  end else begin : gen_answer
    logic              found_q;
    logic [IndexW-1:0] first_q;
    always_ff @(posedge clk_i) begin
      found_q <= found;
      first_q <= first;
    end
    assign answers_found = found_q;
    assign answers_first = first_q;
  end

  logic [31:0] answer;
  assign answer = {!answers_found, {(31 - IndexW) {1'b0}}, answers_first};

  // ---- What is read.

  // (with registers in the tree, that of each part of the records by itself: bits of one read are
  // put together after them)
  localparam int unsigned Parts = Selects ? 4 : 1;
  logic [31:0] register_value, rdata;
  logic [Parts*32-1:0] parts_q;
  for (genvar p = 0; p < Parts; p++) begin : gen_part
    // (0 where no record is meant; which of its words is selected last, because that is known to
    // all records)
    logic [31:0] field, word, delay_word, key_word;
    always_comb begin
      word       = '0;
      delay_word = '0;
      key_word   = '0;
      for (int unsigned i = p * N / Parts; i < (p + 1) * N / Parts; i++) begin
        if (own[i]) begin
          word       |= {8'b0, ids[i*8 +: 8], priorities[i*8 +: 8], statuses[i*8 +: 8]};
          delay_word |= 32'(delays[i*DelayW +: DelayW]);
          key_word   |= 32'(keys[i*KeyBits +: KeyBits]);
        end
      end
    end
    assign field = is_key ? key_word : addr_i[2] ? delay_word : word;

    logic [31:0] other;
    assign other = (Selects ? '0 : field) | (p == 0 ? register_value : '0);
    always_ff @(posedge clk_i) begin
      if (state_q == Select)    parts_q[p*32 +: 32] <= field;
      else if (state_q == Idle) parts_q[p*32 +: 32] <= other;
    end
  end
  always_comb begin
    rdata = '0;
    for (int unsigned p = 0; p < Parts; p++) rdata |= parts_q[p*32 +: 32];
  end
  // (nothing else is read where there is a question)
  logic answers_q;
  always_ff @(posedge clk_i) answers_q <= is_question;
  assign rdata_o = rdata | (answers_q ? answer : '0);

`ifdef FORMAL
  assign idle_o       = state_q == Idle;
  assign statuses_o   = statuses;
  assign priorities_o = priorities;
  assign events_o     = ids;
  assign delays_o     = delays;
  assign keys_o       = keys;
  assign seen_o       = seen_q;
  assign arrivals_o   = arrivals_q;
  assign period_o     = period;
  assign cause_o      = cause;
  assign enable_o     = enable;
  assign counted_o    = DelayW'(counted);
  assign takes_o      = takes_counted;
  assign writes_o     = writes;
  always_comb begin
    if (state_q == Idle) assert (group_q == '0);
  end
`endif

  // ---- Extensions.

  localparam logic [31:0] Features = 32'(N - 1)       << rtm_pkg::ConfigLastRecord |
                                     32'(KeyW)        << rtm_pkg::ConfigKeyBits |
                                     32'(Timed)       << rtm_pkg::ConfigTimed |
                                     32'(Stamps)      << rtm_pkg::ConfigStamps |
                                     32'(Releases)    << rtm_pkg::ConfigReleases |
                                     32'(Interrupts)  << rtm_pkg::ConfigInterrupts |
                                     32'(Many)        << rtm_pkg::ConfigMany |
                                     32'(DelayW / 32) << rtm_pkg::ConfigLongDelays |
                                     32'(Stages)      << rtm_pkg::ConfigStages;

  if (Stamps) begin : gen_arrivals
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) arrivals_q <= '0;
      else if (writes || writes_field || advancing || is_answered) arrivals_q <= arrivals_q + 32'd1;
    end
  end else begin : gen_no_arrivals
    logic unused_arrivals;
    assign arrivals_q      = '0;
    assign unused_arrivals = ^{arrivals_q, writes_field};
  end

  if (Many) begin : gen_seen
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni)                 seen_q <= '0;
      else if (writes && is_next)  seen_q <= '0;
      else if (is_next)            seen_q <= seen_q | is_first;
    end
  end else begin : gen_not_seen
    assign seen_q = '0;
  end

  if (Interrupts) begin : gen_interrupts
    rtm_ticks #(.CountW(CountW)) u_ticks (
      .clk_i   (clk_ticks_i),
      .rst_ni,
      .we_i    (writes && is_tick),
      .wdata_i,
      .period_o(period),
`ifdef FORMAL
      .phase_o (phase_o),
`endif
      .take_i  (takes_counted),
      .count_o (counted)
    );
    rtm_causes #(
      .IndexW(IndexW),
      .Stages(Stages)
    ) u_causes (
      .clk_i,
      .rst_ni,
      .cause_we_i (writes && is_cause && be_i[0]),
      .enable_we_i(writes && is_enable && be_i[0]),
      .wdata_i    (wdata_i[1:0]),
      .cause_o    (cause),
      .enable_o   (enable),
      .expires_i  (|expires),
      .idle_i     (state_q == Idle),
      .found_i    (found),
      .first_i    (first),
      .told_i     (is_answered && is_top),
`ifdef FORMAL
      .known_found_o,
      .known_first_o,
`endif
      .irq_o
    );
  end else begin : gen_no_interrupts
    logic unused;
    assign unused  = ^{has_expired, expires, takes_counted, writes, clk_ticks_i};
    assign counted = '0;
    assign period  = '0;
    assign cause   = '0;
    assign enable  = '0;
    assign irq_o   = 1'b0;
`ifdef FORMAL
    assign known_found_o = 1'b0;
    assign known_first_o = '0;
`endif
  end

  assign has_ticks = counted != '0;
  assign busy_o    = state_q != Idle || has_ticks;

  always_comb begin
    unique case (1'b1)
      is_cause:  register_value = {30'b0, cause};
      is_enable: register_value = {30'b0, enable};
      is_tick:   register_value = period;
      is_config: register_value = Features;
      default:   register_value = '0;
    endcase
  end

endmodule

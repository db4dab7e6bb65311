// What software and hardware of the task manager agree on: bits, and the byte addresses of the
// register map. `src/register.rs` says the same to software; a test holds them against each other.

package rtm_pkg;

  // Bits of the status of a record. One is ready if it is valid, and neither delayed, nor
  // waiting for an event, nor suspended.
  localparam int unsigned StatusValid     = 0;
  localparam int unsigned StatusDelayed   = 1;
  localparam int unsigned StatusEvent     = 2;
  localparam int unsigned StatusSuspended = 3;
  // The delay limits the wait for the event.
  localparam int unsigned StatusTimed     = 4;
  // The delay has run out since the status was written.
  localparam int unsigned StatusExpired   = 5;
  // The key is a stamp of when the record was made ready, or began to wait.
  localparam int unsigned StatusStamped   = 6;

  // Bytes of a record, and where its fields lie.
  localparam int unsigned RecordBytes   = 8;
  localparam int unsigned FieldStatus   = 0;
  localparam int unsigned FieldPriority = 1;
  localparam int unsigned FieldEvent    = 2;
  localparam int unsigned FieldDelay    = 4;

  // Bits of an address in the map.
  localparam int unsigned AddressW = 13;

  // The map: 256 records at most, registers, and a word for each event and for each record.
  localparam logic [12:0] Records = 13'h0000;
  localparam logic [12:0] Top     = 13'h0800;
  localparam logic [12:0] Advance = 13'h0804;
  localparam logic [12:0] Expired = 13'h0808;
  localparam logic [12:0] Next    = 13'h080C;
  localparam logic [12:0] Cause   = 13'h0810;
  localparam logic [12:0] Enable  = 13'h0814;
  localparam logic [12:0] Tick    = 13'h0818;
  localparam logic [12:0] Config  = 13'h081C;
  localparam logic [12:0] Waiter  = 13'h0C00;
  localparam logic [12:0] Release = 13'h1000;
  localparam logic [12:0] Keys    = 13'h1400;

  // Bits of `Cause` and `Enable`.
  localparam int unsigned CauseDelay = 0;
  localparam int unsigned CauseTop   = 1;

  // Of an answer: there is no such record.
  localparam int unsigned AnswerNone = 31;

endpackage

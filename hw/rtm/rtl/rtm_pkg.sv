// The register map of the task manager: bits, and byte addresses.
//
// Generated from `registers.toml`, which says more of each.

package rtm_pkg;

  // Status of a record, which is ready if it is valid, and neither delayed, nor waiting for an
  // event, nor suspended.
  localparam int unsigned StatusValid     = 0;
  localparam int unsigned StatusDelayed   = 1;
  localparam int unsigned StatusEvent     = 2;
  localparam int unsigned StatusSuspended = 3;
  localparam int unsigned StatusTimed     = 4;
  localparam int unsigned StatusExpired   = 5;
  localparam int unsigned StatusStamped   = 6;

  // First word of a record; each field can be written by itself, as a byte.
  localparam int unsigned RecordStatus   = 0;
  localparam int unsigned RecordPriority = 8;
  localparam int unsigned RecordEvent    = 16;

  // Number of a record, or that there is none.
  localparam int unsigned AnswerRecord = 0;
  localparam int unsigned AnswerNone   = 31;

  // Causes of an interrupt.
  localparam int unsigned CauseDelay = 0;
  localparam int unsigned CauseTop   = 1;

  // Parameters of this task manager.
  localparam int unsigned ConfigLastRecord = 0;
  localparam int unsigned ConfigKeyBits    = 8;
  localparam int unsigned ConfigTimed      = 16;
  localparam int unsigned ConfigStamps     = 17;
  localparam int unsigned ConfigReleases   = 18;
  localparam int unsigned ConfigInterrupts = 19;
  localparam int unsigned ConfigMany       = 20;
  localparam int unsigned ConfigLongDelays = 21;
  localparam int unsigned ConfigStages     = 24;

  // Bits of an address, and addresses.
  localparam int unsigned AddressW = 13;

  localparam logic [12:0] Records = 13'h0000;
  localparam logic [12:0] Delays  = 13'h0004;
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

endpackage

// Generates a cluster: VexRiscv cores with coherent data caches, and one bus each for the
// instructions and for the data of all of them.
//
// Each core is that of VexRiscv_Secure as far as it can be: the same pipeline, predictor, caches and
// PMP. Its data cache knows besides exclusive accesses (LR, SC and AMO are answered by a monitor
// behind all caches) and invalidations: a line that another core writes is dropped. Caches write
// through.
package giornata

import spinal.core._
import spinal.core.fiber._
import spinal.lib._
import spinal.lib.bus.bmb._
import spinal.lib.bus.misc.DefaultMapping
import vexriscv._
import vexriscv.ip.{DataCacheConfig, InstructionCacheConfig}
import vexriscv.plugin._

/** What differs between clusters. */
case class Options(harts: Int, cacheBytes: Int)

/** One core. */
object Core {
  val LineBytes = 32
  val Regions = 16
  val RegionBytes = 256
  val ResetVector = 0x40000000L
  /** I, M, A and U. */
  val Extensions = 1 << 8 | 1 << 12 | 1 << 0 | 1 << 20
  /** CSRs of the lines that interrupt a core from outside. */
  val Mask = 0xBC0
  val Pending = 0xFC0

  def apply(options: Options): VexRiscvConfig = VexRiscvConfig(List[Plugin[VexRiscv]](
    instructionSide(options),
    dataSide(options),
    new PmpPlugin(Regions, RegionBytes, ioRange = _.msb),
    new DecoderSimplePlugin(catchIllegalInstruction = true),
    new RegFilePlugin(regFileReadyKind = plugin.SYNC),
    new IntAluPlugin,
    new SrcPlugin(separatedAddSub = false, executeInsertion = true),
    new FullBarrelShifterPlugin,
    new HazardSimplePlugin(
      bypassExecute = true,
      bypassMemory = true,
      bypassWriteBack = true,
      bypassWriteBackBuffer = true),
    new BranchPlugin(earlyBranch = false, catchAddressMisaligned = true),
    // (its number is an input, so that all cores are one module)
    new CsrPlugin(CsrPluginConfig.secure(null).copy(
      misaExtensionsInit = Extensions,
      withExternalMhartid = true,
      mhartidWidth = 4)),
    new MulPlugin,
    new DivPlugin,
    new ExternalInterruptArrayPlugin(machineMaskCsrId = Mask, machinePendingsCsrId = Pending)))

  private def instructionSide(options: Options) = new IBusCachedPlugin(
    resetVector = ResetVector,
    prediction = STATIC,
    config = InstructionCacheConfig(
      cacheSize = options.cacheBytes,
      bytePerLine = LineBytes,
      wayCount = 1,
      addressWidth = 32,
      cpuDataWidth = 32,
      memDataWidth = 32,
      catchIllegalAccess = true,
      catchAccessFault = true,
      asyncTagMemory = false,
      twoCycleRam = false))

  private def dataSide(options: Options) = new DBusCachedPlugin(
    dBusCmdMasterPipe = true,
    dBusCmdSlavePipe = true,
    // (exclusive accesses need it)
    dBusRspSlavePipe = true,
    csrInfo = true,
    config = new DataCacheConfig(
      cacheSize = options.cacheBytes,
      bytePerLine = LineBytes,
      wayCount = 1,
      addressWidth = 32,
      cpuDataWidth = 32,
      memDataWidth = 32,
      catchAccessError = true,
      catchIllegal = true,
      catchUnaligned = true,
      withLrSc = true,
      withAmo = true,
      withExclusive = true,
      withInvalidate = true))
}

/** An access: of a word, or of so many bytes from an address, which are read in words. */
case class Command() extends Bundle {
  val write = Bool()
  val address = UInt(32 bits)
  /** Bytes less one. */
  val length = UInt(6 bits)
  val data = Bits(32 bits)
  val mask = Bits(4 bits)
  val hart = UInt(4 bits)
  /** What the response must repeat. */
  val context = Bits(64 bits)
}

/** A word of a response. A write has one of any content. */
case class Response() extends Bundle {
  val last = Bool()
  val data = Bits(32 bits)
  val hart = UInt(4 bits)
  val context = Bits(64 bits)
}

/** A bus that leaves the cluster; its widths are the same for any number of harts. */
case class Side(prefix: String)(implicit interconnect: BmbInterconnectGenerator) extends Area {
  val command = master(Stream(Command())).setName(s"${prefix}_command")
  val response = slave(Stream(Response())).setName(s"${prefix}_response")

  val source = Handle[BmbAccessCapabilities]
  val requirements = Handle[BmbAccessParameter]
  val bus = Handle(Bmb(BmbParameter(requirements.get, BmbInvalidationParameter())))
  interconnect.addSlave(
    accessSource = source,
    accessCapabilities = source,
    accessRequirements = requirements,
    bus = bus,
    mapping = DefaultMapping)

  val connection = Handle {
    val (cmd, rsp) = (bus.get.cmd, bus.get.rsp)
    assert(widthOf(cmd.source) <= 4 && widthOf(cmd.context) <= 64 && widthOf(cmd.length) <= 6)
    command.arbitrationFrom(cmd)
    command.write := cmd.isWrite
    command.address := cmd.address
    command.length := cmd.length.resized
    command.data := (if (cmd.data == null) B(0) else cmd.data)
    command.mask := (if (cmd.mask == null) B(0) else cmd.mask)
    command.hart := cmd.source.resized
    command.context := cmd.context.resized
    rsp.arbitrationFrom(response)
    rsp.last := response.last
    rsp.setSuccess()
    rsp.data := response.data
    rsp.source := response.hart.resized
    rsp.context := response.context.resized
  }
}

class Cluster(options: Options) extends Component {
  setDefinitionName("cluster")
  val harts = options.harts
  val timer_irq, software_irq = in Bits (harts bits)
  val external_irq = in Bits (32 * harts bits)
  // What leaves the last stage of each core in this cycle.
  val retired_valid, retired_user = out Bits (harts bits)
  val retired_pc, retired_word = out Bits (32 * harts bits)

  implicit val interconnect = BmbInterconnectGenerator()
  val instructions, coherent, plain = BmbBridgeGenerator()
  val exclusive = BmbExclusiveMonitorGenerator()
  val invalidation = BmbInvalidateMonitorGenerator()
  val i = Side("i")
  val d = Side("d")
  interconnect.addConnection(instructions.bmb, i.bus)
  interconnect.addConnection(coherent.bmb, exclusive.input)
  interconnect.addConnection(exclusive.output, invalidation.input)
  interconnect.addConnection(invalidation.output, plain.bmb)
  interconnect.addConnection(plain.bmb, d.bus)

  val cores = for (hart <- 0 until harts) yield new Area {
    val core = VexRiscvBmbGenerator()
    core.config.load(Core(options))
    core.disableDebug()
    // (a register each, or the handshakes of the invalidations form a loop)
    interconnect.setPipelining(core.dBus)(invValid = true, ackValid = true, syncValid = true)

    val lines = Handle {
      core.timerInterrupt.get := timer_irq(hart)
      core.softwareInterrupt.get := software_irq(hart)
      core.logic.cpu.plugins.foreach {
        case csr: CsrPlugin =>
          csr.externalMhartId := hart
          retired_user(hart) := csr.privilege.pull() === U"00"
        case array: ExternalInterruptArrayPlugin =>
          array.externalInterruptArray := external_irq(32 * hart, 32 bits)
        case _ =>
      }
      retired_valid(hart) := core.logic.cpu.lastStageIsFiring.pull()
      retired_pc(32 * hart, 32 bits) := core.logic.cpu.lastStagePc.pull().asBits
      retired_word(32 * hart, 32 bits) := core.logic.cpu.lastStageInstruction.pull()
    }
  }

  // The number of a command's hart is that of its connection, counted from the last.
  for (area <- cores.reverse) {
    interconnect.addConnection(area.core.iBus, instructions.bmb)
    interconnect.addConnection(area.core.dBus, coherent.bmb)
  }
}

/** Arguments: harts, bytes of a cache, folder. */
object Generate {
  def main(arguments: Array[String]): Unit = {
    val Array(harts, cacheBytes, folder) = arguments
    SpinalConfig(
      targetDirectory = folder,
      defaultConfigForClockDomains = ClockDomainConfig(resetKind = spinal.core.SYNC)
    ).generateVerilog(new Cluster(Options(harts.toInt, cacheBytes.toInt)))
  }
}

#!/usr/bin/env python3
"""A system-on-chip with the task manager, for the board ULX3S (ECP5): VexRiscv, memory, a serial
line and a timer of LiteX, and the task manager as a slave on the Wishbone bus with an interrupt.

It writes Verilog, constraints and the script of yosys; ./x rtm --target litex goes on from there
with yosys, nextpnr and ecppack.
"""

import argparse
import os
import sys

from litex_boards.platforms import radiona_ulx3s
from migen import ClockDomain, Instance, Module, ResetSignal, ClockSignal, Signal

from litex.soc.cores.clock import ECP5PLL
from litex.soc.integration.builder import Builder
from litex.soc.integration.common import get_mem_data
from litex.soc.integration.soc import SoCRegion
from litex.soc.integration.soc_core import SoCCore
from litex.soc.interconnect import wishbone

# Where the task manager is. Above 0x8000_0000 the data cache of VexRiscv keeps nothing.
RTM_BASE = 0x9000_0000
RTM_SIZE = 0x2000
MEMORY = 64 * 1024

# In the order in which each needs those before it.
SOURCES = [
    "rtm_pkg.sv",
    "rtm_precedes.sv",
    "rtm_first_of_four.sv",
    "rtm_tree.sv",
    "rtm_decrement.sv",
    "rtm_record.sv",
    "rtm_ticks.sv",
    "rtm_causes.sv",
    "rtm_clock.sv",
    "rtm.sv",
    "rtm_wishbone.sv",
]


class TaskManager(Module):
    """`rtm_wishbone.sv` on a bus of LiteX."""

    def __init__(self, platform, rtl, parameters):
        self.bus = bus = wishbone.Interface(data_width=32, address_width=32, addressing="word")
        self.irq = Signal()
        # The processor's interrupt is wired to the `irq` of what is called `ev`. It is a level:
        # CAUSE and ENABLE are registers of the task manager itself.
        self.ev = self
        self.specials += Instance(
            "rtm_wishbone",
            **{f"p_{name}": value for name, value in parameters.items()},
            i_clk_i=ClockSignal("sys"),
            i_rst_ni=~ResetSignal("sys"),
            i_cyc_i=bus.cyc,
            i_stb_i=bus.stb,
            i_we_i=bus.we,
            i_adr_i=bus.adr[:11],
            i_sel_i=bus.sel,
            i_dat_i=bus.dat_w,
            o_dat_o=bus.dat_r,
            o_ack_o=bus.ack,
            o_irq_o=self.irq,
        )
        for name in SOURCES:
            platform.add_source(os.path.join(rtl, name), language="systemverilog")


class Clock(Module):
    """The board's 25 MHz, multiplied; reset by its button F1."""

    def __init__(self, platform, frequency):
        self.rst = Signal()
        self.clock_domains.cd_sys = ClockDomain()
        self.submodules.pll = pll = ECP5PLL()
        self.comb += pll.reset.eq(platform.request("rst") | self.rst)
        pll.register_clkin(platform.request("clk25"), 25e6)
        pll.create_clkout(self.cd_sys, frequency)


class System(SoCCore):
    """VexRiscv with the task manager at RTM_BASE."""

    def __init__(self, arguments):
        platform = radiona_ulx3s.Platform(device="LFE5U-45F", toolchain="trellis")
        frequency = arguments.megahertz * 1e6
        self.submodules.crg = Clock(platform, frequency)
        rom = get_mem_data(arguments.rom, data_width=32, endianness="little") if arguments.rom else []
        SoCCore.__init__(
            self,
            platform,
            frequency,
            ident="Giornata task manager",
            cpu_type="vexriscv",
            cpu_variant="standard",
            integrated_rom_size=MEMORY,
            integrated_rom_init=rom,
            integrated_sram_size=MEMORY,
        )
        parameters = {
            "N": arguments.records,
            "DelayCells": arguments.records,
            "Stages": arguments.stages,
            "Interrupts": 1,
        }
        self.submodules.rtm = TaskManager(platform, arguments.rtl, parameters)
        region = SoCRegion(origin=RTM_BASE, size=RTM_SIZE, cached=False)
        self.bus.add_slave("rtm", self.rtm.bus, region)
        self.irq.add("rtm")


def arguments():
    here = os.path.dirname(os.path.abspath(__file__))
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--output", required=True, help="folder that the design is written into")
    parser.add_argument("--rtl", default=os.path.join(here, "../rtl"), help="sources of the task manager")
    parser.add_argument("--rom", help=f"program at address 0, as raw bytes, {MEMORY} at most")
    parser.add_argument("--records", type=int, default=64, choices=[16, 32, 64, 128, 256])
    parser.add_argument("--stages", type=int, default=2, choices=[0, 1, 2],
                        help="registers in the comparator tree")
    parser.add_argument("--megahertz", type=int, default=50, help="of the system's clock")
    arguments = parser.parse_args()
    if arguments.rom and not os.path.isfile(arguments.rom):
        parser.error(f"{arguments.rom}: there is no such file")
    if arguments.rom and os.path.getsize(arguments.rom) > MEMORY:
        parser.error(f"{arguments.rom} is larger than the {MEMORY} bytes of the ROM")
    if 4**arguments.stages >= arguments.records:
        parser.error(f"{arguments.records} records have no room for {arguments.stages} registers")
    return arguments


def main():
    chosen = arguments()
    system = System(chosen)
    builder = Builder(
        system,
        output_dir=chosen.output,
        compile_software=False,
        compile_gateware=False,
        csr_json=os.path.join(chosen.output, "registers.json"),
    )
    builder.build(build_name="system")


if __name__ == "__main__":
    sys.exit(main())

import type { Facts } from '../../assets/index.ts'

/** Runs a script on the machine and answers what it writes. */
export type Run = (script: string) => Promise<string>

/**
 * One script for everything, since each further one costs a round trip and some machines allow few
 * sessions. What a machine does not have prints nothing.
 */
const SCRIPT = `
LC_ALL=C; export LC_ALL; PATH=$PATH:/usr/sbin:/sbin; export PATH
echo "@@uname"; uname -n; uname -s; uname -r; uname -m
echo "@@release"; cat /etc/os-release 2>/dev/null
echo "@@lscpu"; lscpu 2>/dev/null
echo "@@cpuinfo"; cat /proc/cpuinfo 2>/dev/null
echo "@@meminfo"; grep MemTotal /proc/meminfo 2>/dev/null
echo "@@lsblk"; lsblk -bdn -o NAME,SIZE,TYPE 2>/dev/null
echo "@@df"; df -Pk / 2>/dev/null
for what in sys_vendor product_name product_serial; do echo "@@$what"; cat /sys/class/dmi/id/$what 2>/dev/null; done
echo "@@dmidecode"; (dmidecode -s system-serial-number || sudo -n dmidecode -s system-serial-number) 2>/dev/null
`

/** Asks a Unix machine about its hardware and system. Facts that could not be read are missing. */
export async function gatherFacts(run: Run): Promise<Facts> {
  return parseFacts(await run(SCRIPT))
}

/**
 * Parses the script's output into fields, cut to their maximum length (docs/rules/assets.md#asset).
 */
function parseFacts(output: string): Facts {
  const sections = new Map<string, string>()
  for (const part of output.split(/^@@/m).slice(1)) {
    const end = part.indexOf('\n')
    sections.set(part.slice(0, end).trim(), part.slice(end + 1).trim())
  }
  const section = (name: string) => sections.get(name) ?? ''
  const [hostname = '', kernel = '', release = '', arch = ''] = section('uname')
    .split('\n')
    .map((line) => line.trim())
  const os = keyValues(section('release'), '=')
  const facts: Facts = {
    ...processorFacts(section('lscpu'), section('cpuinfo')),
    ...diskFacts(section('lsblk'), section('df')),
    memory: memoryOf(section('meminfo')),
    vendor: cut(section('sys_vendor'), 64),
    model: cut(section('product_name'), 54),
    sn: cut(section('product_serial') || section('dmidecode'), 128),
    os: cut(os.get('NAME') ?? kernel, 128),
    os_version: cut(os.get('VERSION_ID') ?? release, 16),
    os_arch: cut(arch, 16),
    hostname_raw: cut(hostname, 128),
  }
  return factsOf(facts)
}

/** Those that are known. */
export const factsOf = (facts: { [name in keyof Facts]: Facts[name] | undefined }): Facts =>
  Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined)) as Facts

export const cut = (text: string, length: number): string | undefined => text.trim().slice(0, length) || undefined

/** Parses `Model name: X` or `NAME="Debian"` lines; of equal keys the first counts. */
function keyValues(text: string, separator: string): Map<string, string> {
  const values = new Map<string, string>()
  for (const line of text.split('\n')) {
    const at = line.indexOf(separator)
    const key = line.slice(0, at).trim()
    if (at > 0 && !values.has(key))
      values.set(
        key,
        line
          .slice(at + 1)
          .trim()
          .replace(/^"(.*)"$/, '$1'),
      )
  }
  return values
}

export const positive = (text: string | undefined): number | undefined =>
  text && /^\d{1,6}$/.test(text) && Number(text) > 0 ? Number(text) : undefined

/** From lscpu, else from /proc/cpuinfo. `cpu_cores` is for each processor. */
function processorFacts(lscpu: string, cpuinfo: string): Facts {
  const listed = keyValues(lscpu, ':')
  const info = keyValues(cpuinfo, ':')
  const threads = [...cpuinfo.matchAll(/^processor\s*:/gm)].length || undefined
  const sockets = new Set([...cpuinfo.matchAll(/^physical id\s*:\s*(\d+)/gm)].map(([, id]) => id)).size || undefined
  const facts: Facts = {
    cpu_model: cut(listed.get('Model name') ?? info.get('model name') ?? info.get('Hardware') ?? '', 48),
    cpu_count: positive(listed.get('Socket(s)')) ?? sockets ?? (threads ? 1 : undefined),
    cpu_cores: positive(listed.get('Core(s) per socket')) ?? positive(info.get('cpu cores')) ?? threads,
    cpu_vcpus: positive(listed.get('CPU(s)')) ?? threads,
  }
  return facts
}

const GIB = 1024 ** 3

export function size(bytes: number): string {
  return bytes >= 1024 * GIB
    ? `${(bytes / GIB / 1024).toFixed(2)} TB`
    : bytes >= GIB
      ? `${(bytes / GIB).toFixed(2)} GB`
      : `${(bytes / 1024 ** 2).toFixed(2)} MB`
}

function memoryOf(meminfo: string): string | undefined {
  const kilobytes = /MemTotal:\s+(\d+)/.exec(meminfo)?.[1]
  return kilobytes ? size(Number(kilobytes) * 1024) : undefined
}

/** Whole disks; in a container, which has none, the root file system. */
function diskFacts(lsblk: string, df: string): Facts {
  const disks = [...lsblk.matchAll(/^(\S+)\s+(\d+)\s+disk/gm)]
    .map(([, name = '', bytes]) => [name, Number(bytes)] as const)
    .filter(([name, bytes]) => bytes > 0 && !/^(ram|zram|loop|fd)/.test(name))
  if (!disks.length) {
    const [, device, kilobytes] = /^(\S+)\s+(\d+)\s.*\s\/$/m.exec(df) ?? []
    if (device && kilobytes) disks.push([device, Number(kilobytes) * 1024])
  }
  return diskFactsOf(disks)
}

/** Facts of disks by name, with their bytes. */
export function diskFactsOf(disks: readonly (readonly [string, number])[]): Facts {
  if (!disks.length) return {}
  let info = JSON.stringify(Object.fromEntries(disks.map(([name, bytes]) => [name, size(bytes)])))
  // The field holds 1024 characters; JSON cut in half would be worse than fewer disks.
  for (let keep = disks.length - 1; info.length > 1024; keep--)
    info = JSON.stringify(Object.fromEntries(disks.slice(0, keep).map(([name, bytes]) => [name, size(bytes)])))
  return { disk_total: size(disks.reduce((sum, [, bytes]) => sum + bytes, 0)), disk_info: info }
}

import { SAY } from '../../../kernel/ssh/powershell.ts'
import type { Facts } from '../../assets/index.ts'
import { cut, diskFactsOf, factsOf, positive, type Run, size } from './facts.ts'

/** By the documents of Microsoft's classes of WMI; what one does not know is empty. */
const SCRIPT = `${SAY}$ErrorActionPreference = 'SilentlyContinue'
$system = Get-CimInstance Win32_ComputerSystem
$processors = @(Get-CimInstance Win32_Processor)
$os = Get-CimInstance Win32_OperatingSystem
Say vendor $system.Manufacturer
Say model $system.Model
Say sn (Get-CimInstance Win32_BIOS).SerialNumber
Say cpu_model $processors[0].Name
Say cpu_count $processors.Count
Say cpu_cores $processors[0].NumberOfCores
Say cpu_vcpus $system.NumberOfLogicalProcessors
Say memory $system.TotalPhysicalMemory
Say os $os.Caption
Say os_version $os.Version
Say os_arch $os.OSArchitecture
Say hostname_raw $env:COMPUTERNAME
foreach ($disk in Get-CimInstance Win32_DiskDrive) { Say disk $disk.Size $disk.Index }
`

/** Asks a Windows machine about its hardware and system. Facts that could not be read are missing. */
export async function gatherWindowsFacts(run: Run): Promise<Facts> {
  const lines = [...(await run(SCRIPT)).matchAll(/^@@(\w+)\t([^\t\n]*)\t([^\t\n]*)$/gm)]
  const known = new Map(lines.map(([, what = '', value = '']) => [what, value]))
  const disks = lines.flatMap(([, what, bytes, index]) =>
    what === 'disk' && Number(bytes) > 0 ? [[`disk${index}`, Number(bytes)] as const] : [],
  )
  const text = (what: string, length: number) => cut(known.get(what) ?? '', length)
  const memory = Number(known.get('memory'))
  return factsOf({
    vendor: text('vendor', 64),
    model: text('model', 54),
    sn: text('sn', 128),
    cpu_model: text('cpu_model', 48),
    cpu_count: positive(known.get('cpu_count')),
    cpu_cores: positive(known.get('cpu_cores')),
    cpu_vcpus: positive(known.get('cpu_vcpus')),
    memory: memory > 0 ? size(memory) : undefined,
    os: text('os', 128),
    os_version: text('os_version', 16),
    os_arch: text('os_arch', 16),
    hostname_raw: text('hostname_raw', 128),
    ...diskFactsOf(disks),
  })
}

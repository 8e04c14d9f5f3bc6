import { globSync, readFileSync } from 'node:fs'

/** Where chrony, ntpd, ntpsec and systemd-timesyncd of usual distributions have them. */
const FILES = [
  '/etc/chrony/chrony.conf',
  '/etc/chrony.conf',
  '/etc/chrony/{conf,sources}.d/*',
  '/etc/ntpsec/ntp.conf',
  '/etc/ntp.conf',
  '/etc/systemd/timesyncd.conf',
  '/etc/systemd/timesyncd.conf.d/*.conf',
]

/** Time servers that this machine is set up to ask, in the order of its files. */
export function configuredTimeServers(): string[] {
  return FILES.flatMap((pattern) => globSync(pattern)).flatMap((path) => {
    try {
      return timeServersIn(readFileSync(path, 'utf8'))
    } catch {
      return []
    }
  })
}

/** `server time.example.com iburst`, `pool …`, `NTP=one two`; what is commented out does not count. */
export function timeServersIn(text: string): string[] {
  return text.split('\n').flatMap((line) => {
    const [, named] = /^\s*(?:server|pool|peer)\s+(\S+)/.exec(line) ?? []
    const [, list = ''] = /^\s*(?:Fallback)?NTP\s*=\s*(.*)/.exec(line) ?? []
    return [...(named ? [named] : []), ...list.split(/\s+/).filter(Boolean)]
  })
}

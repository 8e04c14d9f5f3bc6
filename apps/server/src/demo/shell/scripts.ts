/** Answers of the demo's machines to scripts of background jobs (kernel/ssh/script.ts). */

const HOUR_MS = 3_600_000

/** Accounts, each with its id, its shell, and who signed in last from where, some hours ago. */
const ACCOUNTS = [
  { name: 'root', uid: 0, home: '/root', last: ['10.50.1.24', 31] },
  { name: 'ops', uid: 1000, last: ['10.10.0.2', 1] },
  { name: 'deploy', uid: 1001, last: ['10.30.1.12', 6] },
  { name: 'backup', uid: 1002 },
  { name: 'postgres', uid: 109, home: '/var/lib/postgresql' },
  // Nobody at Harbour Bicycles is called so any more.
  { name: 'j.vandijk', uid: 1014, last: ['198.51.100.77', 52] },
] as const

/** Authorized keys: two of them belong to no account of Sallyport. */
const KEYS = [
  ['deploy', 'AAAAC3NzaC1lZDI1NTE5AAAAIBuildServerOfHarbourBicyclesForDemo00', 'ci@build-01'],
  ['j.vandijk', 'AAAAC3NzaC1lZDI1NTE5AAAAIOldLaptopThatLeftWithItsOwnerDemo00', 'joris@laptop'],
] as const

/** Output of a script that succeeds; undefined for what would change the machine, and fails. */
export function answerToScript(script: string, hostname: string): string | undefined {
  if (script.includes('@@uname'))
    return `@@uname\n${hostname}\nLinux\n6.1.0-26-amd64\nx86_64\n@@release\nID=debian\nVERSION_ID="12"\n`
  if (script.includes('@@passwd')) return accountsOf(new Date())
  // Any password opens these machines, so a new one does. The other script only looks whether it could be set.
  if (script.includes('chpasswd')) return script.includes('read -r password') ? 'sallyport: changed\n' : ''
  return undefined
}

function accountsOf(now: Date): string {
  const signIns = ACCOUNTS.flatMap((one) => {
    if (!('last' in one)) return []
    const [ip, hours] = one.last
    // "Mon, 23 Nov 2026 08:12:01 GMT", as `last` writes it.
    const [weekday, date, month, year, time] = new Date(now.getTime() - hours * HOUR_MS).toUTCString().split(/,? /)
    return `${one.name} pts/0 ${ip} ${weekday} ${month} ${date} ${time} ${year}`
  })
  return [
    ...['@@uid', '0', 'root', '@@passwd'],
    ...ACCOUNTS.map((one) => {
      const home = 'home' in one ? one.home : `/home/${one.name}`
      return `${one.name}:x:${one.uid}:${one.uid}::${home}:/bin/bash`
    }),
    ...['@@admins', 'sudo:x:27:ops,j.vandijk', '@@last', ...signIns, '@@keys'],
    ...KEYS.map(([name, key, comment]) => `${name}\tssh-ed25519 ${key} ${comment}`),
    ...['@@end', ''],
  ].join('\n')
}

/** Command rules as administrators write them, and what is typed under them. */
const PROGRAMS = ['rm', 'mkfs', 'reboot', 'shutdown', 'dd', 'chmod', 'chown', 'systemctl', 'iptables', 'userdel']

/** The expressions of so many rules, none of which finds anything in `WORK`. */
export const expressions = (count: number) =>
  Array.from({ length: count }, (_, at) => `\\b${PROGRAMS[at % PROGRAMS.length]}${at}\\b|\\bsudo\\s+-u\\s+web${at}\\b`)

/** 80 characters. */
export const WORK = 'tail -n 100 /var/log/nginx/access.log | grep -v health | sort | uniq -c | head'.padEnd(80)

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { CORPUS } from './corpus.ts'
import { judge } from './judgement.ts'
import { RuleSet } from './rule-set.ts'
import { rule } from './rules-fixture.ts'

const SHELLS = { bash: ['bash'], dash: ['dash'], busybox: ['busybox', 'ash'], yash: ['yash'] }
/** So many lines at a time. */
const AT_ONCE = 4
const TRIED = CORPUS.flatMap((one) => (one.ran ?? []).map((shell) => ({ ...one, shell })))

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'sallyport-shells-'))
  // Nothing is removed by any of this: what is forbidden is a program that says so.
  mkdirSync(join(folder, 'bin'))
  writeFileSync(join(folder, 'bin', 'rm'), '#!/bin/sh\necho ran-the-forbidden-program\n')
  chmodSync(join(folder, 'bin', 'rm'), 0o755)
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

async function ranIn(shell: keyof typeof SHELLS, line: string): Promise<boolean> {
  const [program = '', ...parameters] = SHELLS[shell]
  const env = { PATH: `${join(folder, 'bin')}:${process.env.PATH}`, HOME: folder }
  // None of them reads anything: what ends is the shell, whatever it has left behind.
  const child = spawn(program, [...parameters, '-c', line], { env, cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes) => void (output += bytes))
  await once(child, 'close')
  return output.includes('ran-the-forbidden-program')
}

test('real shells run what the techniques hide, each of which is caught', async () => {
  const wrong: string[] = []
  const left = [...TRIED]
  const tryOn = async () => {
    for (let one = left.pop(); one; one = left.pop()) {
      if (!(await ranIn(one.shell, one.line))) wrong.push(`${one.shell} does not run it: ${one.technique}`)
      if (one.expected.deny !== 'caught') wrong.push(`not caught: ${one.technique}`)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, tryOn))
  expect(wrong).toEqual([])
  expect(TRIED.length).toBeGreaterThan(90)
})

/** Everyday commands, with the forbidden names as words, and close to those of techniques. */
const HARMLESS = String.raw`
ls -la /srv | grep -v rm | sort | uniq -c | sort -rn | head
cat /etc/passwd | cut -d: -f1 | xargs -n1 id
for f in *.log; do gzip "$f"; done
while read -r host; do ssh "$host" uptime; done < hosts
find . -name '*.tmp' -mtime +7 -print0 | xargs -0 ls -l
tar czf - /srv/data | ssh backup 'cat > /srv/data.tgz'
sudo -u mysql ls /var/lib/mysql
sudo systemctl restart mysql-exporter
docker run --rm -it -v "$PWD:/work" node:22 npm test
docker compose exec web sh -c 'ls /app'
kubectl get pods -n web -o json | jq -r '.items[].metadata.name'
git log --oneline --graph | head -20
git commit -m "remove rm -rf from the docs" 2>/dev/null || true
curl -fsSL https://example.org/x.json -H 'Accept: application/json' -d '{"rm": [1, 2], "b": {"c": "d"}}'
echo "disk: $(df -h / | awk 'NR==2 {print $5}')" >> /tmp/report
awk -F: '$3 >= 1000 { print $1 " " $7 }' /etc/passwd
sed -i 's/rm/mv/g; s|/old|/new|' script.txt
python3 -c 'print("rm " + "x")'
perl -ne 'print if /error/' app.log
PS1='[\u@\h $(date +%T)]$ '
export PATH=$HOME/bin:$PATH EDITOR=vim
x=report-$(date +%F).txt; cp "$x" "[x%.txt].bak"
a=(one two three); echo "[a[@]]" "[#a[@]]" "[a[1]^^]"
set -- a b c; shift; echo "$1" "$#"
[[ $HOSTNAME =~ ^web([0-9]+)$ ]] && echo "[BASH_REMATCH[1]]"
while getopts ab: o; do case $o in a) x=1;; b) y=$OPTARG;; esac; done
declare -A m=([rm]=1 [ls]=2); echo "[m[rm]]"
(( i++ )); echo $((i * 2)); ((i > 3)) && echo done
if [ -f /tmp/x ]; then cat /tmp/x; elif [ -d /srv ]; then ls /srv; else echo none; fi
timeout 10 curl -s localhost:8080/health || echo down
nohup ./server --port 8080 > server.log 2>&1 &
flock -w 10 /tmp/rm.lock ./backup.sh
nice -n 10 ionice -c2 -n7 tar cf /tmp/x.tar /srv
ssh-agent -s; ssh-add -l
cat <<'EOF' > /tmp/app.service
[Service]
ExecStart=/usr/bin/app --flag
EOF
psql -h db -c "select count(*) from t where name like '%rm%'" -o /tmp/out.txt
mysql -e 'show processlist' | grep -v Sleep
mysqldump shop | gzip > /tmp/shop.sql.gz
zcat dump.sql.gz | mysql shop
rsync -avz --delete-after -e 'ssh -p 2222' /srv/ backup:/srv/
tmux new-session -d -s build 'make -j4'
screen -dmS logs tail -f /var/log/syslog
watch -n 5 'df -h'
openssl x509 -in cert.pem -noout -dates
base64 -d secret.b64 > secret.bin
ansible web -m ping
npm run build -- --mode production
make -C src clean all
gcc -O2 -Wall -o app main.c
cmake -S . -B build && cmake --build build
socat - TCP:localhost:6379
nc -zv localhost 22
`
  .replace(/"\[(.*?)\](?=["./])/g, (_, inner) => `"\${${inner}}`)
  .split(/\n(?!\[Service|ExecStart|EOF)/)
  .filter(Boolean)

test('everyday commands are allowed where something else is forbidden', () => {
  const rules = new RuleSet([rule('rm', '^rm\\b'), rule('others', '^(reboot|mysql|shutdown|mkfs|dd)\\b(?! -e| shop)')])
  const denied = HARMLESS.filter((line) => judge(rules, line, true).action !== 'allow')
  expect(denied).toEqual([])
})

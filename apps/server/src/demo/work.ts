/**
 * What people of the demo do on machines, as data: past sessions, their recordings and commands are
 * made of it, people at work now type it, and the demo's machines answer by it. `{host}` is the
 * machine.
 */

export interface Step {
  typed: string
  /** The machine's answer, without the last line feed. */
  answer?: string
  /** Seconds over which the lines of the answer come. */
  over?: number
  /** A command rule of the demo would mark it. */
  isDangerous?: boolean
}

export interface FileStep {
  operate: 'Upload' | 'Download' | 'Delete' | 'Mkdir' | 'Rename'
  filename: string
  failed?: boolean
}

export interface Work {
  name: string
  /** A group of `company.ts`, whose work it is, and the beginning of the machines' names. */
  group: string
  machines: string
  /** The system user: its name, and the one that the machine knows. */
  as: string
  protocol?: 'ssh' | 'telnet'
  steps: readonly Step[]
  files?: readonly FileStep[]
}

const INCIDENT: Work = {
  name: 'The shop answers 502',
  group: 'Operations 运维',
  machines: 'shop-front-',
  as: 'root',
  steps: [
    {
      typed: 'tail -n 4 /var/log/nginx/error.log',
      answer: [
        '09:41:07 [error] 1187#0: *88213 upstream timed out (110: Connection timed out), upstream: "http://10.10.2.14:8080/cart"',
        '09:41:07 [error] 1187#0: *88214 upstream timed out (110: Connection timed out), upstream: "http://10.10.2.14:8080/cart"',
        '09:41:09 [error] 1187#0: *88231 no live upstreams while connecting to upstream, client: 203.0.113.88',
        '09:41:10 [error] 1187#0: *88240 no live upstreams while connecting to upstream, client: 198.51.100.7',
      ].join('\n'),
    },
    {
      typed:
        'for n in 11 12 13 14; do curl -so /dev/null -w "10.10.2.$n %{http_code} %{time_total}s\\n" 10.10.2.$n:8080/health; done',
      answer: '10.10.2.11 200 0.004s\n10.10.2.12 200 0.004s\n10.10.2.13 200 0.006s\n10.10.2.14 000 5.001s',
      over: 6,
    },
    { typed: "sed -i 's/server 10.10.2.14:8080;/server 10.10.2.14:8080 down;/' /etc/nginx/conf.d/upstream.conf" },
    {
      typed: 'nginx -t && systemctl reload nginx',
      answer:
        'nginx: the configuration file /etc/nginx/nginx.conf syntax is ok\nnginx: configuration file /etc/nginx/nginx.conf test is successful',
    },
    {
      typed: 'curl -sI https://shop.bicycles.example/cart | head -2',
      answer: 'HTTP/2 \x1b[32m200\x1b[0m\nserver: nginx',
    },
    { typed: 'uptime', answer: ' 09:46:31 up 41 days,  3:02,  2 users,  load average: 2.31, 4.28, 3.95' },
  ],
}

const DEPLOYMENT: Work = {
  name: 'Release of the API',
  group: 'Operations 运维',
  machines: 'shop-api-',
  as: 'deploy',
  steps: [
    {
      typed: 'cd /srv/api && git log --oneline -3 origin/release',
      answer:
        '\x1b[33m8f21c0e\x1b[m 修复购物车并发扣减库存\n\x1b[33m51d9b27\x1b[m Retry payment callbacks twice\n\x1b[33m0c4ee10\x1b[m Update translations',
    },
    {
      typed: './deploy.sh 8f21c0e',
      answer: [
        '==> Fetching 8f21c0e',
        '==> npm ci',
        'added 412 packages in 7s',
        '==> Migrations: 2 pending',
        '    202611180910_stock_reservations ... done (0.4 s)',
        '    202611181422_payment_retries ...... done (0.1 s)',
        '==> Taking {host} out of the load balancer',
        '==> Restarting api.service',
        '==> Health: 503 503 200',
        '==> Back in the load balancer',
        '\x1b[32m==> Released 8f21c0e on {host}\x1b[0m',
      ].join('\n'),
      over: 14,
    },
    {
      typed: 'journalctl -u api -n 3 --no-pager -o cat',
      answer: 'listening on :8080 (pid 22817)\nconnected to pg-01, pool of 20\n已加载 1,284 个商品',
    },
    { typed: 'curl -s localhost:8080/version', answer: '{"version":"8f21c0e","since":"12 s"}' },
  ],
  files: [{ operate: 'Upload', filename: '/srv/api/config/feature-flags.json' }],
}

const DATABASE_CHECK: Work = {
  name: 'Morning check of PostgreSQL',
  group: 'Database 数据库',
  machines: 'pg-',
  as: 'root',
  steps: [
    {
      typed: 'psql -c "select application_name, state, replay_lag from pg_stat_replication"',
      answer: [
        ' application_name |   state   |   replay_lag    ',
        '------------------+-----------+-----------------',
        ' pg-02            | streaming | 00:00:00.001204',
        ' pg-03            | streaming | 00:00:00.000981',
        ' pg-rotterdam     | catchup   | 00:04:12.552310',
        '(3 rows)',
      ].join('\n'),
    },
    {
      typed:
        'psql -c "select pid, now() - xact_start as open, left(query, 40) as query from pg_stat_activity where state = \'idle in transaction\'"',
      answer: [
        '  pid  |      open       |                  query                   ',
        '-------+-----------------+------------------------------------------',
        ' 18822 | 02:14:09.118730 | select * from orders where status = $1 f',
        '(1 row)',
      ].join('\n'),
    },
    {
      typed: 'psql -c "select pg_terminate_backend(18822)"',
      answer: ' pg_terminate_backend \n----------------------\n t\n(1 row)',
    },
    {
      typed: 'df -h /var/lib/postgresql',
      answer:
        'Filesystem      Size  Used Avail Use% Mounted on\n/dev/nvme1n1    1.8T  1.1T  640G  64% /var/lib/postgresql',
    },
  ],
}

const SLOW_QUERIES: Work = {
  name: '慢查询',
  group: 'Database 数据库',
  machines: 'mysql-',
  as: 'root',
  steps: [
    {
      typed: 'mysql -e "show full processlist" | grep -v Sleep',
      answer: [
        'Id\tUser\tHost\tdb\tCommand\tTime\tState\tInfo',
        '4411\tshop\t10.10.2.12:51882\tshop\tQuery\t38\tSending data\tSELECT * FROM 订单 WHERE 备注 LIKE "%加急%"',
      ].join('\n'),
    },
    { typed: 'mysql -e "kill query 4411"' },
    {
      typed: 'mysql shop -e "explain select id from orders where customer = 10482"',
      answer: 'id\tselect_type\ttable\ttype\tkey\trows\n1\tSIMPLE\torders\tref\tidx_customer\t12',
    },
    {
      typed: 'mysql shop -e "DROP TABLE tmp_orders_20261101"',
      answer: 'Query OK, 0 rows affected (0.03 sec)',
      isDangerous: true,
    },
  ],
  files: [{ operate: 'Download', filename: '/var/log/mysql/slow-20261121.log' }],
}

const FULL_DISK: Work = {
  name: 'A full disk',
  group: 'Development 研发',
  machines: 'build-',
  as: 'deploy',
  steps: [
    {
      typed: 'df -h /',
      answer:
        'Filesystem      Size  Used Avail Use% Mounted on\n/dev/vda1        99G   98G  412M \x1b[31m100%\x1b[0m /',
    },
    {
      typed: 'du -xsh /var/cache/* /home/* 2>/dev/null | sort -h | tail -4',
      answer: '1.2G\t/var/cache/apt\n4.0G\t/home/deploy\n11G\t/var/cache/ccache\n63G\t/var/cache/builds',
      over: 4,
    },
    { typed: 'sudo rm -rf /var/cache/builds/2026-1*', isDangerous: true },
    {
      typed: 'df -h /',
      answer: 'Filesystem      Size  Used Avail Use% Mounted on\n/dev/vda1        99G   36G   63G  37% /',
    },
    { typed: 'sudo systemctl restart buildkite-agent' },
  ],
  files: [
    { operate: 'Download', filename: '/home/deploy/build-4812.log' },
    { operate: 'Delete', filename: '/home/deploy/build-4812.log' },
  ],
}

const LOST_ORDER: Work = {
  name: '查找订单',
  group: 'Development 研发',
  machines: 'shop-api-',
  as: 'readonly',
  steps: [
    {
      typed: 'grep 订单 /srv/api/log/app.log | grep 10482',
      answer: [
        '2026-11-20 17:58:40 INFO  订单 10482 已创建 客户=31077 金额=1,299.00',
        '2026-11-20 17:58:52 WARN  订单 10482 支付回调超时，重试 1/2',
        '2026-11-20 17:59:22 INFO  订单 10482 已支付',
        '2026-11-20 18:22:07 INFO  订单 10482 已发货 顺丰 SF1044821193',
      ].join('\n'),
    },
    { typed: 'cat /srv/api/config/secrets.env', answer: 'cat: /srv/api/config/secrets.env: Permission denied' },
    { typed: 'exit' },
  ],
  files: [{ operate: 'Download', filename: '/srv/api/config/secrets.env', failed: true }],
}

const CERTIFICATE: Work = {
  name: 'Renewal of a certificate',
  group: 'Operations 运维',
  machines: 'pay-',
  as: 'root',
  steps: [
    {
      typed: 'openssl x509 -noout -subject -enddate -in /etc/pki/pay.crt',
      answer: 'subject=CN=pay.bicycles.example\nnotAfter=Nov 29 08:00:00 2026 GMT',
    },
    {
      typed: 'certbot renew --cert-name pay',
      answer:
        'Renewing an existing certificate for pay.bicycles.example\n\nCongratulations, all renewals succeeded:\n  /etc/pki/pay.crt (success)',
      over: 9,
    },
    { typed: 'systemctl reload haproxy' },
    { typed: 'chmod 777 /etc/pki', isDangerous: true },
    { typed: 'chmod 755 /etc/pki' },
  ],
  files: [{ operate: 'Upload', filename: '/etc/pki/chain-2026.pem' }],
}

const ASSEMBLY_LINE: Work = {
  name: 'A controller of the assembly line',
  group: 'Contractors 外包',
  machines: 'plc-line1-',
  as: 'operator',
  protocol: 'telnet',
  steps: [
    { typed: 'show alarms', answer: 'A113  14:02:51  轴 3 过热   ACTIVE\nA087  13:40:12  门未关      CLEARED' },
    { typed: 'show axis 3', answer: 'axis 3   temp 81 C   limit 75 C   speed 60 %' },
    { typed: 'set axis 3 speed 40', answer: 'OK' },
    { typed: 'show axis 3', answer: 'axis 3   temp 72 C   limit 75 C   speed 40 %', over: 2 },
    { typed: 'ack A113', answer: 'OK' },
  ],
}

const STAGING: Work = {
  name: 'A look at staging',
  group: 'Development 研发',
  machines: 'stage-shop-',
  as: 'deploy',
  steps: [
    {
      typed: 'docker compose ps',
      answer: [
        'NAME            STATUS                   PORTS',
        'shop-web-1      Up 3 hours (healthy)     0.0.0.0:8080->8080/tcp',
        'shop-worker-1   Restarting (1) 4 s ago',
        'shop-redis-1    Up 3 hours               6379/tcp',
      ].join('\n'),
    },
    {
      typed: 'docker compose logs --tail 3 worker',
      answer:
        "worker-1  | Error: Cannot find module './jobs/stock'\nworker-1  |     at Module._resolveFilename (node:internal:1212)\nworker-1  | Node.js v26.10.0",
    },
    {
      typed: 'docker compose up -d --build worker',
      answer:
        ' => [worker 1/4] FROM node:26-slim\n => [worker 2/4] COPY package*.json\n => [worker 3/4] RUN npm ci\n => [worker 4/4] COPY src\n\x1b[32m ✔ Container shop-worker-1  Started\x1b[0m',
      over: 11,
    },
  ],
  files: [
    { operate: 'Upload', filename: '/srv/shop/src/jobs/stock.ts' },
    { operate: 'Mkdir', filename: '/srv/shop/fixtures' },
    { operate: 'Rename', filename: '/srv/shop/.env.new=>/srv/shop/.env' },
  ],
}

export const WORKS: readonly Work[] = [
  INCIDENT,
  DEPLOYMENT,
  DATABASE_CHECK,
  FULL_DISK,
  LOST_ORDER,
  STAGING,
  SLOW_QUERIES,
  CERTIFICATE,
  ASSEMBLY_LINE,
]

/** Somebody who is connected while the demo runs. */
export interface AtWork {
  username: string
  machine: string
  work: Work
  from: 'WT' | 'ST'
  address: string
}

export const AT_WORK: readonly AtWork[] = [
  { username: 'zhangwei', machine: 'shop-front-03', work: INCIDENT, from: 'WT', address: '10.50.1.24' },
  { username: 'anna.kowalska', machine: 'pg-01', work: DATABASE_CHECK, from: 'ST', address: '10.51.1.33' },
  { username: 'emma.jansen', machine: 'stage-shop-02', work: STAGING, from: 'WT', address: '10.51.1.40' },
  { username: 'limin', machine: 'shop-api-05', work: DEPLOYMENT, from: 'WT', address: '10.50.1.31' },
]

/** Waits for a reviewer, and works once one has agreed. */
export const WAITING: AtWork = {
  username: 'maria.santos',
  machine: 'pay-02',
  work: CERTIFICATE,
  from: 'WT',
  address: '198.51.100.23',
}

/** What mends a proxy, as the recipes in deploy/proxies/ have it. */

export const PROXIES = { nginx: 'nginx', caddy: 'Caddy', apache: 'Apache', haproxy: 'HAProxy' } as const
export type ProxyName = keyof typeof PROXIES

/** Apache has all of this in the one line that says where to. */
const PROXY_PASS = 'ProxyPass "/" "http://127.0.0.1:8080/" nocanon upgrade=websocket flushpackets=on timeout=86400'

/** Lines by proxy; none where it is right unless a line makes it wrong. */
export const MEND_LINES = {
  host: {
    nginx: ['proxy_set_header Host $http_host;'],
    caddy: [],
    apache: ['ProxyPreserveHost On'],
    haproxy: [],
  },
  claimedHost: {
    nginx: ['proxy_set_header X-Forwarded-Host "";'],
    caddy: [],
    apache: ['RequestHeader unset X-Forwarded-Host'],
    haproxy: ['http-request del-header X-Forwarded-Host'],
  },
  https: {
    nginx: ['proxy_set_header X-Forwarded-Proto $scheme;'],
    caddy: [],
    apache: ['RequestHeader set X-Forwarded-Proto expr=%{REQUEST_SCHEME}'],
    haproxy: [
      'http-request del-header X-Forwarded-Proto',
      'http-request set-header X-Forwarded-Proto https if { ssl_fc }',
    ],
  },
  address: {
    nginx: ['proxy_set_header X-Forwarded-For $remote_addr;'],
    caddy: [],
    apache: ['RequestHeader unset X-Forwarded-For', 'ProxyAddHeaders On'],
    haproxy: ['http-request set-header X-Forwarded-For %[src]'],
  },
  websocket: {
    nginx: [
      "map $http_upgrade $sallyport_connection { default upgrade; '' ''; }",
      'proxy_http_version 1.1;',
      'proxy_set_header Upgrade $http_upgrade;',
      'proxy_set_header Connection $sallyport_connection;',
    ],
    caddy: [],
    apache: [PROXY_PASS],
    haproxy: [],
  },
  quiet: {
    nginx: ['proxy_read_timeout 24h;', 'proxy_send_timeout 24h;'],
    caddy: [],
    apache: [PROXY_PASS],
    haproxy: ['timeout tunnel 24h'],
  },
  slow: {
    nginx: ['proxy_read_timeout 24h;'],
    caddy: [],
    apache: [PROXY_PASS],
    haproxy: ['timeout server 5m'],
  },
  body: {
    nginx: ['client_max_body_size 0;'],
    caddy: [],
    apache: [],
    haproxy: [],
  },
  buffering: {
    nginx: ['proxy_buffering off;'],
    caddy: ['flush_interval -1'],
    apache: [PROXY_PASS],
    haproxy: [],
  },
} as const satisfies Record<string, Record<ProxyName, readonly string[]>>

/** Lines that begin so change headers and cookies. */
export const CHANGING_LINES: Readonly<Record<ProxyName, readonly string[]>> = {
  nginx: ['proxy_hide_header', 'add_header', 'proxy_cookie_path', 'proxy_cookie_domain', 'proxy_cookie_flags'],
  caddy: ['header', 'header_up', 'header_down'],
  apache: ['Header', 'RequestHeader', 'ProxyPassReverseCookiePath', 'ProxyPassReverseCookieDomain'],
  haproxy: ['http-request', 'http-response'],
}

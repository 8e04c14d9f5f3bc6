export interface RdpOptions {
  /** `host` or `host:port` of the listener for RDP. */
  address: string
  username: string
  token: string
  /** Domain (Active Directory) of the system user; empty for none. */
  domain: string
  fullScreen: boolean
  /** Pixels; undefined lets the client scale. */
  size: { width: number; height: number } | undefined
  drives: boolean
  clipboard: boolean
}

/**
 * Content of a file that starts a desktop client: lines of `key:type:value`
 * (docs/rules/authentication.md#connection_token). The person signs in as `username|token`
 * without a password.
 */
export function rdpFile({ address, username, token, domain, fullScreen, size, drives, clipboard }: RdpOptions): string {
  const lines: [key: string, value: string | number][] = [
    ['full address:s', address],
    ['username:s', `${username}|${token}`],
    ...(domain ? ([['domain:s', domain]] as [string, string][]) : []),
    ['screen mode id:i', fullScreen ? 2 : 1],
    ...(size
      ? ([
          ['desktopwidth:i', size.width],
          ['desktopheight:i', size.height],
        ] as [string, number][])
      : []),
    ['smart sizing:i', size ? 0 : 1],
    ...(drives ? ([['drivestoredirect:s', '*']] as [string, string][]) : []),
    ['session bpp:i', 32],
    ['audiomode:i', 0],
    ['use multimon:i', 0],
    ['disable wallpaper:i', 0],
    ['disable full window drag:i', 0],
    ['disable menu anims:i', 0],
    ['disable themes:i', 0],
    ['alternate shell:s', ''],
    ['shell working directory:s', ''],
    ['authentication level:i', 2],
    // The token is given to the gateway inside TLS, not proven: there is nothing that NLA could prove it with.
    ['enablecredsspsupport:i', 0],
    ['connect to console:i', 0],
    ['disable cursor setting:i', 0],
    ['allow font smoothing:i', 1],
    ['allow desktop composition:i', 1],
    ['redirectprinters:i', 0],
    // On unless said otherwise: where no way is permitted, none is offered.
    ['redirectclipboard:i', clipboard ? 1 : 0],
    ['prompt for credentials on client:i', 0],
    ['autoreconnection enabled:i', 1],
    ['bookmarktype:i', 3],
    ['use redirection server name:i', 0],
  ]
  return lines.map(([key, value]) => `${key}:${oneLine(String(value))}\n`).join('')
}

/** A name must not begin a line of its own: lines of these files start programs. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out
const oneLine = (value: string) => value.replaceAll(/[\u0000-\u001f\u007f\u0085\u2028\u2029]/g, ' ')

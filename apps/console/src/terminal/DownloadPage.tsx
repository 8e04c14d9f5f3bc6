import { useEffect } from 'react'
import { t } from '../lib/i18n.ts'
import './download.css'
import { pageTitle, type Viewer } from './viewer.ts'

interface Client {
  /** Name of a program, in no language. */
  name: string
  /** Where its makers give it away; undefined for what systems bring along. */
  url?: string
  /** What it runs on, already translated. */
  on: string
}

interface Group {
  title: string
  /** How to connect with them here. */
  how: string
  clients: readonly Client[]
}

/** The clients that people may use here, and where to get them (contract web-terminal, top bar: Tool download). */
export function DownloadPage({ viewer }: { viewer: Viewer }) {
  useEffect(() => {
    document.title = `${t('Tool download')} - ${pageTitle(viewer)}`
  }, [viewer])
  return (
    <main className="wt wt-download">
      <h1>{t('Tool download')}</h1>
      <p>{t('Everything works in the browser. If you prefer a client of your own, get it from its makers:')}</p>
      {groupsOf(viewer).map(({ title, how, clients }) => (
        <section key={title}>
          <h2>{title}</h2>
          <p className="wt-hint">{how}</p>
          <ul>
            {clients.map(({ name, url, on }) => (
              <li key={name}>
                {url ? (
                  <a href={url} target="_blank" rel="noopener noreferrer">
                    {name}
                  </a>
                ) : (
                  name
                )}{' '}
                <span className="wt-hint">{on}</span>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </main>
  )
}

/** Programs that this installation serves. */
function groupsOf({ settings }: Viewer): Group[] {
  const { rdp, vnc } = settings.DESKTOP_PORTS ?? {}
  const databases = Object.keys(settings.DATABASE_PORTS ?? {})
  const desktops = t('The file or line for one session is in My assets, beside each machine.')
  const everywhere = 'Windows, macOS, Linux'
  return [
    {
      title: t('Terminals and files'),
      how: t('By SSH to this host, where an administrator has opened its port: a menu lists what you may open.'),
      clients: [
        { name: 'OpenSSH (ssh, sftp, scp)', on: t('part of {{system}}', { system: everywhere }) },
        { name: 'PuTTY', url: 'https://www.chiark.greenend.org.uk/~sgtatham/putty/', on: 'Windows' },
        { name: 'WinSCP', url: 'https://winscp.net/', on: 'Windows' },
        { name: 'FileZilla', url: 'https://filezilla-project.org/', on: everywhere },
      ],
    },
    ...(rdp
      ? [
          {
            title: t('Desktops by RDP'),
            how: desktops,
            clients: [
              { name: 'Remote Desktop Connection (mstsc)', on: t('part of {{system}}', { system: 'Windows' }) },
              { name: 'Windows App', url: 'https://apps.apple.com/app/windows-app/id1295203466', on: 'macOS' },
              { name: 'FreeRDP', url: 'https://www.freerdp.com/', on: everywhere },
              { name: 'Remmina', url: 'https://remmina.org/', on: 'Linux' },
            ],
          },
        ]
      : []),
    ...(vnc
      ? [
          {
            title: t('Desktops by VNC'),
            how: desktops,
            clients: [
              { name: 'TigerVNC', url: 'https://tigervnc.org/', on: everywhere },
              { name: 'Remmina', url: 'https://remmina.org/', on: 'Linux' },
            ],
          },
        ]
      : []),
    ...(databases.some((type) => type !== 'k8s')
      ? [
          {
            title: t('Databases'),
            how: t('The line for a client is in My applications.'),
            clients: [{ name: 'DBeaver', url: 'https://dbeaver.io/', on: everywhere }],
          },
        ]
      : []),
    ...(databases.includes('k8s')
      ? [
          {
            title: 'Kubernetes',
            how: t('The file for kubectl is in My applications.'),
            clients: [{ name: 'kubectl', url: 'https://kubernetes.io/docs/tasks/tools/', on: everywhere }],
          },
        ]
      : []),
    {
      title: t('Recordings'),
      how: t('A recording saved as .cast plays there; one saved as .html plays in any browser.'),
      clients: [{ name: 'asciinema', url: 'https://asciinema.org/', on: 'macOS, Linux' }],
    },
  ]
}

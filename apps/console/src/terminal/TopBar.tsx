import { WIRE } from '@sallyport/contract/constants.ts'
import type { MenuProps } from 'antd'
import { MenuIcon } from 'lucide-react'
import { language, switchLanguage, t } from '../lib/i18n.ts'
import type { PublicSettings } from '../session/session.ts'
import { Dropdown } from './Dropdown.tsx'
import type { Tabs } from './tabs/tabs.ts'

export interface TopBarProps {
  settings: PublicSettings
  tabs: Tabs
  leftShown: boolean
  onToggleLeft: () => void
  onFullScreen: () => void
  onSettings: () => void
  onActivate: (id: number) => void
}

/** The bar on top: logo and menus. */
export function TopBar({ settings, tabs, leftShown, onToggleLeft, onFullScreen, onSettings, onActivate }: TopBarProps) {
  const toggleText = leftShown ? t('Hide the asset list') : t('Show the asset list')
  return (
    <header className="wt-top">
      <button
        type="button"
        className="wt-top-item"
        aria-label={toggleText}
        title={toggleText}
        aria-expanded={leftShown}
        onClick={onToggleLeft}
      >
        <MenuIcon />
      </button>
      <a className="wt-logo" href="/ui/" title={t('Console')}>
        {settings.LOGO_URLS?.logo_logout ? (
          <img src={settings.LOGO_URLS.logo_logout} alt={t('Console')} />
        ) : (
          settings.LOGIN_TITLE || 'Sallyport'
        )}
      </a>
      <BarMenu
        label={t('File manager')}
        items={[
          {
            key: 'connect',
            label: (
              <a href={WIRE.fileManagerBase} target="_blank" rel="noopener noreferrer">
                {t('Connect')}
              </a>
            ),
          },
        ]}
      />
      <BarMenu
        label={t('View')}
        items={[
          { key: 'left', label: toggleText, onClick: onToggleLeft },
          { key: 'full', label: t('Full screen'), disabled: tabs.active === undefined, onClick: onFullScreen },
        ]}
      />
      <BarMenu
        label={t('Language')}
        selected={language()}
        items={[
          { key: 'en', label: 'English', onClick: () => switchLanguage('en') },
          { key: 'cn', label: '中文', onClick: () => switchLanguage('cn') },
        ]}
      />
      <button type="button" className="wt-top-item" onClick={onSettings}>
        {t('Setting')}
      </button>
      <HelpMenu settings={settings} />
      {tabs.list.length > 0 && (
        <BarMenu
          label={t('Tabs')}
          selected={String(tabs.active)}
          items={tabs.list.map(({ id, name, state }) => ({
            key: String(id),
            label: name,
            className: `wt-list-${state}`,
            onClick: () => onActivate(id),
          }))}
        />
      )}
    </header>
  )
}

/** Links of the site to help, and the clients that people may use. */
function HelpMenu({ settings }: { settings: PublicSettings }) {
  const links = [
    { url: settings.HELP_DOCUMENT_URL, label: t('Document') },
    { url: settings.HELP_SUPPORT_URL, label: t('Support') },
    { url: '/core/download/', label: t('Tool download') },
  ].filter(({ url }) => url)
  return (
    <BarMenu
      label={t('Help')}
      items={links.map(({ url, label }) => ({
        key: label,
        label: (
          <a href={url} target="_blank" rel="noopener noreferrer">
            {label}
          </a>
        ),
      }))}
    />
  )
}

function BarMenu({
  label,
  items,
  selected,
}: {
  label: string
  items: NonNullable<MenuProps['items']>
  selected?: string
}) {
  return (
    <Dropdown trigger={['click']} menu={{ items, selectedKeys: selected ? [selected] : [] }}>
      <button type="button" className="wt-top-item">
        {label}
      </button>
    </Dropdown>
  )
}

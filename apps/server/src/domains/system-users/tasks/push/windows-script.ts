import { quotedForPowerShell as quoted, SAY } from '../../../../kernel/ssh/powershell.ts'
import { MADE_HERE, type PushedAccount } from './push-script.ts'

/** Built-in groups have names of the machine's language, so they are known by their number. */
const USERS = 'S-1-5-32-545'
const REMOTE_DESKTOP_USERS = 'S-1-5-32-555'
/** So are the accounts that each Windows has of its own: administrator, guest and those of its parts. */
const OF_WINDOWS = '-50[0-4]$'

export type WindowsAccount = Pick<PushedAccount, 'username' | 'groups' | 'password'> & {
  /** It is for remote desktops. */
  isForDesktops: boolean
}

/**
 * What makes a local account on a Windows machine, as an administrator: account, groups and password.
 * Homes, shells, keys and sudo rules are none of Windows's. By the documents of Microsoft's module
 * LocalAccounts (Windows 10, Server 2016 and later); a password gets to methods alone, whose values no
 * log of PowerShell has.
 */
export function windowsPushScript({ username, groups, password, isForDesktops }: WindowsAccount): {
  script: string
  input: string[]
} {
  const builtIn = [...(groups.length ? [] : [USERS]), ...(isForDesktops ? [REMOTE_DESKTOP_USERS] : [])]
  const script = `${SAY}$ErrorActionPreference = 'Stop'
$user = ${quoted(username)}
$groups = @(${groups.map(quoted).join(', ')})
$builtIn = @(${builtIn.map(quoted).join(', ')})
$secure = New-Object Security.SecureString
foreach ($character in $text[1].ToCharArray()) { $secure.AppendChar($character) }
$step = 'user'
try {
  $known = Get-LocalUser | Where-Object { $_.Name -eq $user }
  if ($known -and $known.SID.Value -match ${quoted(OF_WINDOWS)}) { throw 'The account belongs to the machine itself: it stays as it is' }
  $state = 'same'
  if (-not $known) {
    New-LocalUser -Name $user -Password $secure -PasswordNeverExpires -Description ${quoted(MADE_HERE)} | Out-Null
    $state = 'changed'
  }
  foreach ($name in $groups) {
    if (-not (Get-LocalGroup | Where-Object { $_.Name -eq $name })) { New-LocalGroup -Name $name | Out-Null; $state = 'changed' }
  }
  $wanted = @($groups | ForEach-Object { Get-LocalGroup -Name $_ }) + @($builtIn | ForEach-Object { Get-LocalGroup -SID $_ })
  foreach ($group in $wanted) {
    try { Add-LocalGroupMember -SID $group.SID -Member "$env:COMPUTERNAME\\$user"; $state = 'changed' }
    catch { if ($_.Exception.GetType().Name -ne 'MemberExistsException') { throw } }
  }
  Say 'user' $state
  $step = 'password'
  if (-not $known) { Say 'password' 'changed'; exit 0 }
  Add-Type -AssemblyName System.DirectoryServices.AccountManagement
  $machine = New-Object DirectoryServices.AccountManagement.PrincipalContext([DirectoryServices.AccountManagement.ContextType]::Machine)
  if ($machine.ValidateCredentials($user, $text[1])) { Say 'password' 'same' }
  else { Set-LocalUser -Name $user -Password $secure; Say 'password' 'changed' }
} catch { Say $step 'failed' $_.Exception.Message; exit 1 }
`
  return { script, input: [password] }
}

/** Takes an account away that was pushed. Its profile stays, and so does an account that was there before. */
export function windowsRemovalScript(username: string): string {
  return `${SAY}$ErrorActionPreference = 'Stop'
$user = ${quoted(username)}
try {
  $known = Get-LocalUser | Where-Object { $_.Name -eq $user }
  if (-not $known) { Say 'user' 'same' }
  elseif ($known.Description -ne ${quoted(MADE_HERE)}) { Say 'user' 'failed' 'The account was there before it was pushed: it stays' }
  else { Remove-LocalUser -Name $user; Say 'user' 'changed' }
} catch { Say 'user' 'failed' $_.Exception.Message; exit 1 }
`
}

<#
.SYNOPSIS
  Starts the program of a remote app on a Windows host, with what Sallyport fills in.
.DESCRIPTION
  Copy this file to "C:\Program Files\Sallyport\start-app.ps1" on each host of remote apps. Sallyport
  starts it as the shell of a session, with its own address, the session and a ticket that works once
  and for two minutes; no password is in its arguments. It fetches what to start, starts it, types the
  name and password into the first window where the program has no other way, and ends with the program.
  The host must trust the certificate of Sallyport. Not tried on a real Windows yet.
#>
param(
  [Parameter(Mandatory)] [string] $Server,
  [Parameter(Mandatory)] [string] $Session,
  [Parameter(Mandatory)] [string] $Ticket
)
$ErrorActionPreference = 'Stop'
Add-Type -AssemblyName System.Windows.Forms
[Net.ServicePointManager]::SecurityProtocol = [Net.SecurityProtocolType]::Tls12

function Stop-WithWords([string] $Words) {
  [void][Windows.Forms.MessageBox]::Show($Words, 'Sallyport')
  exit 1
}

# Keys of which SendKeys makes something else.
function ConvertTo-Keys([string] $Text) { $Text -replace '([+^%~(){}\[\]])', '{$1}' }

# One argument as programs of Windows read it: quotes in it would end it.
# So would a backslash before the last one, unless it is doubled (CommandLineToArgvW).
function ConvertTo-Argument([string] $Text) { '"' + ($Text.Replace('"', '') -replace '(\\+)$', '$1$1') + '"' }

# The password comes over this line.
if ($Server -notmatch '^https://') { Stop-WithWords "$Server does not begin with https://" }

try {
  $app = Invoke-RestMethod -Method Post -Uri "$Server/koko/remote-apps/$Session/start/" `
    -ContentType 'application/json' -Body (@{ ticket = $Ticket } | ConvertTo-Json)
} catch {
  Stop-WithWords "The program could not be fetched from ${Server}: $($_.Exception.Message)"
}
if (-not (Test-Path -LiteralPath $app.path -PathType Leaf)) { Stop-WithWords "There is no program $($app.path)" }

$arguments = switch ($app.type) {
  'chrome' { @('--new-window', '--no-first-run', (ConvertTo-Argument $app.target)) }
  'vmware_client' { @('-s', (ConvertTo-Argument $app.target)) }
  'mysql_workbench' { @('--query', (ConvertTo-Argument "$($app.username)@$($app.ip):$($app.port)")) }
  'custom' { @($app.cmdline; if ($app.target) { ConvertTo-Argument $app.target }) | Where-Object { $_ } }
}
$start = @{ FilePath = $app.path; PassThru = $true }
if ($arguments) { $start.ArgumentList = $arguments }
$process = Start-Process @start

# The window comes when it comes; whoever sits there sees the same, and can type as well.
for ($n = 0; $n -lt 60 -and $process.MainWindowHandle -eq 0 -and -not $process.HasExited; $n++) {
  Start-Sleep -Milliseconds 500
  $process.Refresh()
}
if (-not $process.HasExited -and $app.password) {
  Start-Sleep -Seconds 3
  # Keys go to whichever window is in front: it must be that of the program.
  if (-not (New-Object -ComObject WScript.Shell).AppActivate($process.Id)) {
    Stop-WithWords 'The window of the program could not be brought to the front: its password was not typed'
  }
  # MySQL Workbench has the name already, and asks for the password alone.
  $keys = ConvertTo-Keys $app.password
  if ($app.username -and $app.type -ne 'mysql_workbench') { $keys = (ConvertTo-Keys $app.username) + '{TAB}' + $keys }
  [Windows.Forms.SendKeys]::SendWait($keys + '{ENTER}')
}
Remove-Variable app, keys -ErrorAction SilentlyContinue
$process.WaitForExit()

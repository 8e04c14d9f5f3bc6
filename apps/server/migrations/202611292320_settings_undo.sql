-- What people set on the pages of settings can be taken back; secrets are kept sealed.
CALL kernel_keep_for_undo('settings_setting');

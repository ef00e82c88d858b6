echo hello from the session
tend mark work hello
clear; echo all is new

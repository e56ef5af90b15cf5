module golden

go 1.26.0

require github.com/callgate/callgate/sdk/go v0.0.0

replace github.com/callgate/callgate/sdk/go => ../../../../../sdk/go
